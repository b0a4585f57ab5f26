package dev.pitcrew.agent.nodestatus;

import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nodestatus.plan.SeenGpu;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// How GPUs are, for metrics: the level as GPUNode has it, and what speaks against them now.
final class GpuHealthMetrics {
  private static final String UNANSWERED = "no_answer";
  private static final String OUTSIDE_FABRIC = "no_fabric";

  private GpuHealthMetrics() {}

  static List<SeenGpu> of(List<Gpu> reported, Optional<NodeSnapshot> snapshot) {
    return reported.stream()
        .filter(gpu -> !gpu.health().isAbsent())
        .map(gpu ->
            new SeenGpu(
                gpu.index() == null ? "" : gpu.index().toString(),
                text(gpu.uuid()),
                gpu.pciAddress(),
                ApiJson.tree(gpu.health().level()).asText(),
                snapshot.stream()
                    .filter(NodeSnapshot.WithDriver.class::isInstance)
                    .map(NodeSnapshot.WithDriver.class::cast)
                    .flatMap(it -> signs(it, text(gpu.uuid())))
                    .distinct()
                    .toList()))
        .toList();
  }

  static List<SwitchError> switches(Optional<NodeSnapshot> snapshot) {
    return snapshot
        .map(it ->
            it instanceof NodeSnapshot.WithDriver loaded
                ? loaded.log().switches()
                : List.<SwitchError>of())
        .orElse(List.of());
  }

  private static String text(@Nullable String value) {
    return Objects.requireNonNullElse(value, "");
  }

  private static Stream<SeenGpu.Sign> signs(NodeSnapshot.WithDriver loaded, String uuid) {
    UnhealthyDevices health = loaded.unhealthy();
    Stream<String> devices =
        loaded.gpus().inventory().gpus().stream()
            .filter(gpu -> gpu.uuid().equals(uuid))
            .flatMap(gpu ->
                Stream.concat(
                    Stream.of(uuid), gpu.mig().migDevices().stream().map(MigDevice::uuid)));
    return Stream.of(
            devices
                .flatMap(it -> health.signs().counting(it))
                .map(sign ->
                    new SeenGpu.Sign(
                        sign.kind().name().toLowerCase(Locale.ROOT),
                        sign.isXid() ? String.valueOf(sign.value()) : "")),
            sign(UNANSWERED, health.unanswered().containsKey(uuid)),
            sign(OUTSIDE_FABRIC, loaded.gpus().inventory().outsideFabric().containsKey(uuid)))
        .flatMap(it -> it);
  }

  private static Stream<SeenGpu.Sign> sign(String name, boolean isThere) {
    return isThere ? Stream.of(new SeenGpu.Sign(name, "")) : Stream.empty();
  }
}
