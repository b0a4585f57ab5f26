package dev.pitcrew.agent.status.plan;

import static dev.pitcrew.api.node.NodeCondition.DISCOVERED;
import static dev.pitcrew.api.node.NodeCondition.DRIVER_READY;
import static dev.pitcrew.api.node.NodeCondition.HEALTHY;

import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.validation.Blocker;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.HealthLevel;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The conditions that the agent itself can report. Those of functions that it does not provide
/// belong to another program, or to none.
final class NodeVerdicts {
  static final String NO_GPU = "NoGpu";
  static final String PAUSED = "Paused";
  static final String DRIVER_NOT_READY = "DriverNotReady";
  static final String PASSED_THROUGH = "PassedThrough";

  private final NodeFacts facts;
  private final Collection<Gpu> gpus;

  private NodeVerdicts(NodeFacts facts, Collection<Gpu> gpus) {
    this.facts = facts;
    this.gpus = gpus;
  }

  /// All but the one that sums them up.
  static List<Verdict> of(NodeFacts facts, Collection<Gpu> gpus) {
    var verdicts = new NodeVerdicts(facts, gpus);
    return Stream.concat(
            Stream.of(verdicts.discovered(), verdicts.driverReady()),
            Stream.of(
                    verdicts.healthy(),
                    verdicts.devicesAdvertised(),
                    RuntimeVerdict.of(facts),
                    MigVerdict.of(facts),
                    ValidatedVerdict.of(facts))
                .flatMap(Optional::stream))
        .sorted((left, right) -> left.type().compareTo(right.type()))
        .toList();
  }

  private Verdict discovered() {
    if (!gpus.isEmpty()) {
      return Verdict.yes(DISCOVERED, "GpusFound", "the node has %s".formatted(gpuCount()));
    }
    return facts.pci().isEmpty()
        ? Verdict.notYet(DISCOVERED, "the PCI bus was not read yet")
        : Verdict.no(
            DISCOVERED,
            NO_GPU,
            "the PCI bus has no GPU of NVIDIA (vendor 10de, class 0300 or 0302): check with lspci -d 10de: on the node");
  }

  private Verdict driverReady() {
    Optional<String> pausedBy = facts.driver().pausedBy();
    if (pausedBy.isPresent()) {
      return Verdict.no(
          DRIVER_READY,
          PAUSED,
          "%s; the agent opens it again once the label says true"
              .formatted(leftAlone(pausedBy.get())));
    }
    return facts
        .snapshot()
        .map(this::driverReady)
        .orElse(Verdict.notYet(DRIVER_READY, "the driver was not looked for yet"));
  }

  /// What became of a pause so far.
  private String leftAlone(String pausedBy) {
    return facts.snapshot().stream()
        .flatMap(it ->
            it instanceof NodeSnapshot.WithoutDriver(var reason, _)
                ? Stream.of(reason)
                : Stream.empty())
        .filter(reason -> reason.contains(pausedBy))
        .findFirst()
        .orElse("the agent is about to close NVML because of " + pausedBy);
  }

  private Verdict driverReady(NodeSnapshot snapshot) {
    if (facts.isPassedThrough()) {
      return Verdict.yes(
          DRIVER_READY,
          PASSED_THROUGH,
          "vfio-pci has every GPU, for virtual machines, as claims or nvidia.com/gpu.workload.config of the Node or the ClusterPolicy's default want: no driver is to be loaded for them");
    }
    List<Blocker> blockers = facts.blockers();
    if (!blockers.isEmpty()) {
      return Verdict.no(DRIVER_READY, blockers.getFirst().reason(), Blocker.message(blockers));
    }
    return switch (snapshot) {
      case NodeSnapshot.WithDriver(var known, _, _, _) ->
          Verdict.yes(
              DRIVER_READY,
              "DriverLoaded",
              "driver %s answers".formatted(known.inventory().driver().driver()));
      case NodeSnapshot.WithoutDriver(var reason, _) ->
          Verdict.no(
              DRIVER_READY,
              DRIVER_NOT_READY,
              "the driver cannot be used (%s): see the driver's pod on this node, or where the host brings the driver, run nvidia-smi and dmesg there"
                  .formatted(reason));
    };
  }

  private Optional<Verdict> devicesAdvertised() {
    return switch (facts.plugin()) {
      case OFF -> Optional.empty();
      case ON, PAUSED -> Optional.of(new AdvertisedVerdict(facts, gpus.isEmpty()).verdict());
    };
  }

  /// Of GPUs that virtual machines have the host learns nothing.
  private Optional<Verdict> healthy() {
    return facts.isPassedThrough() ? Optional.empty() : Optional.of(health());
  }

  private Verdict health() {
    if (facts.snapshot().isEmpty()) {
      return Verdict.notYet(HEALTHY, "no GPU was looked at yet");
    }
    List<Gpu> unhealthy =
        gpus.stream()
            .filter(gpu -> !gpu.health().isAbsent())
            .filter(gpu -> gpu.health().level() != HealthLevel.HEALTHY)
            .toList();
    if (!unhealthy.isEmpty()) {
      return Verdict.no(
          HEALTHY,
          "GpuUnhealthy",
          withSwitches(
              unhealthy.stream().map(this::unhealthyNow).collect(Collectors.joining("; "))));
    }
    return facts.withDriver().isPresent()
        ? Verdict.yes(
            HEALTHY, "GpusHealthy", withSwitches("nothing speaks against %s".formatted(gpuCount())))
        : new Verdict(
            HEALTHY,
            Verdict.UNKNOWN,
            DRIVER_NOT_READY,
            "without a driver no GPU reports its health: see condition DriverReady");
  }

  private String withSwitches(String gpus) {
    return SwitchVerdict.text(facts.withDriver()).map(it -> gpus + "; " + it).orElse(gpus);
  }

  /// Why a GPU is unhealthy, with what the agent itself does about it.
  private String unhealthyNow(Gpu gpu) {
    String uuid = gpu.uuid();
    String reset = uuid == null ? null : facts.resets().get(uuid);
    return reset == null ? unhealthyReason(gpu) : unhealthyReason(gpu, reset);
  }

  /// An unhealthy GPU in one line: which, how, why, and what to do.
  static String unhealthyReason(Gpu gpu) {
    return unhealthyReason(gpu, remedy(gpu));
  }

  private static String unhealthyReason(Gpu gpu, String remedy) {
    return "%s %s: %s; %s"
        .formatted(
            name(gpu),
            level(gpu.health().level()),
            String.join(", ", gpu.health().evidence()),
            remedy);
  }

  /// Such as `GPU 3 (GPU-1234, 0000:07:00.0)`.
  static String name(Gpu gpu) {
    String uuid = gpu.uuid();
    return uuid == null || gpu.index() == null
        ? "GPU " + gpu.pciAddress()
        : "GPU %d (%s, %s)".formatted(gpu.index(), uuid, gpu.pciAddress());
  }

  private static String level(HealthLevel level) {
    return switch (level) {
      case HEALTHY -> "is healthy";
      case DEGRADED -> "is degraded";
      case NEEDS_RESET -> "needs a reset";
      case NEEDS_REBOOT -> "needs a reboot of the node";
      case REPLACE -> "must be replaced";
    };
  }

  private static String remedy(Gpu gpu) {
    return switch (gpu.health().level()) {
      case HEALTHY, DEGRADED ->
          "look at nvidia-smi -q -i %s and dmesg on the node".formatted(gpu.pciAddress());
      case NEEDS_RESET ->
          "the agent resets it as soon as it is free where FleetPolicy spec.health.resetGpus is true; by hand, drain the node, have the agent close NVML (kubectl label node NODE --overwrite nvidia.com/gpu.deploy.device-plugin=paused-for-reset) and run nvidia-smi --gpu-reset -i %s on the node, of a driver container as chroot /run/nvidia/driver nvidia-smi; see docs/unhealthy-gpu.md"
              .formatted(gpu.pciAddress());
      case NEEDS_REBOOT -> "drain and reboot the node";
      case REPLACE -> "drain the node and have the board replaced";
    };
  }

  private String gpuCount() {
    return gpus.size() == 1 ? "1 GPU" : gpus.size() + " GPUs";
  }
}
