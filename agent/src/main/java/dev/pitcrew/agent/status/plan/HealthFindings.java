package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.agent.health.Sign;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.vfio.plan.VfioDriver;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.node.GpuHealth;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.pci.PciDevice;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What speaks against a GPU, newest first; nothing where it is well.
record HealthFindings(List<Finding> all) {
  private static final HealthFindings NONE = new HealthFindings(List.of());

  HealthFindings {
    all = List.copyOf(all);
  }

  /// @param at when it began; empty where only this moment is known
  record Finding(HealthLevel level, Optional<Instant> at, String evidence) {}

  /// Of a GPU that the driver lists.
  static HealthFindings of(Gpu gpu, NodeSnapshot.WithDriver seen) {
    UnhealthyDevices unhealthy = seen.unhealthy();
    var findings = new ArrayList<Finding>();
    unhealthy.signs().counting(gpu.uuid()).map(sign -> finding(sign, "")).forEach(findings::add);
    gpu.mig()
        .migDevices()
        .forEach(part ->
            unhealthy
                .signs()
                .counting(part.uuid())
                .map(sign -> finding(sign, " of %s (%s)".formatted(part.uuid(), part.profile())))
                .forEach(findings::add));
    findings.sort(Comparator.comparing((Finding it) -> it.at().orElseThrow()).reversed());
    Optional.ofNullable(seen.gpus().inventory().outsideFabric().get(gpu.uuid()))
        .map(HealthFindings::outsideFabric)
        .ifPresent(findings::addFirst);
    Optional.ofNullable(unhealthy.unanswered().get(gpu.uuid()))
        .map(HealthFindings::unanswered)
        .ifPresent(findings::addFirst);
    return new HealthFindings(findings);
  }

  /// Of a GPU on the bus that a driver which answers does not list.
  static HealthFindings unlisted(PciDevice function, List<String> unreadable) {
    Optional<String> driver = function.driver();
    if (driver.filter(VfioDriver::isForMachines).isPresent()) {
      return NONE; // a virtual machine has it, so that NVML does not list it
    }
    String bound = driver.map("bound to the kernel driver %s"::formatted).orElse("bound to none");
    String details = unreadable.isEmpty() ? "" : "; NVML says " + String.join(", ", unreadable);
    return new HealthFindings(
        List.of(
            new Finding(
                HealthLevel.DEGRADED,
                Optional.empty(),
                "the driver cannot use it: it is " + bound + details)));
  }

  /// As GPUNode has it. The level keeps its time as long as it stays.
  GpuHealth health(GpuHealth before, Instant now) {
    HealthLevel level =
        all.stream().map(Finding::level).max(Comparator.naturalOrder()).orElse(HealthLevel.HEALTHY);
    boolean isAsBefore = !before.isAbsent() && before.level() == level && before.since() != null;
    Instant began = all.stream().findFirst().flatMap(Finding::at).orElse(now);
    List<String> evidence =
        all.stream()
            .map(it -> SchemaLimits.name(it.evidence(), SchemaLimits.EVIDENCE))
            .limit(SchemaLimits.EVIDENCES)
            .toList();
    return new GpuHealth(
        level,
        isAsBefore ? before.since() : seconds(began),
        evidence.isEmpty() ? Absent.list() : evidence,
        Map.of());
  }

  private static Finding finding(Sign sign, String subject) {
    return new Finding(
        sign.level(),
        Optional.of(sign.since()),
        "%s%s %s %s"
            .formatted(sign.text(), subject, sign.isXid() ? "at" : "since", seconds(sign.since())));
  }

  private static Finding unanswered(String reason) {
    HealthLevel level =
        reason.endsWith(NvmlError.GPU_IS_LOST.meaning())
            ? HealthLevel.NEEDS_REBOOT
            : reason.endsWith(NvmlError.RESET_REQUIRED.meaning())
                ? HealthLevel.NEEDS_RESET
                : HealthLevel.DEGRADED;
    return new Finding(level, Optional.empty(), "does not answer: " + reason);
  }

  /// NVIDIA's fabric manager adds each GPU separately, and continues without one that fails.
  private static Finding outsideFabric(String progress) {
    return new Finding(
        HealthLevel.DEGRADED,
        Optional.empty(),
        "has not joined the NVLink fabric (%s) that other GPUs have, and is not offered: if that lasts, look for it in /var/log/fabricmanager.log of the driver, and reset it"
            .formatted(progress));
  }

  static String seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
