package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a GPUNode says of its node.
///
/// @param ready status of the condition Ready, `-` before the agent has said anything
/// @param sick the GPUs that are not healthy, each with its index, level and evidence
/// @param sharing such as `None` and `TimeSlicing`
record GpuNodeView(
    int gpus,
    String driver,
    String ready,
    String reason,
    String message,
    Map<Integer, String> sick,
    String sharing,
    int replicas) {
  static final ResourceDefinitionContext KIND =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("GPUNode")
          .withPlural("gpunodes")
          .withNamespaced(false)
          .build();

  private static final String NONE = "-";

  GpuNodeView {
    sick = Map.copyOf(sick);
  }

  static GpuNodeView of(Optional<GenericKubernetesResource> object) {
    return object.map(GpuNodeView::of).orElseGet(() -> of(new GenericKubernetesResource()));
  }

  static GpuNodeView of(GenericKubernetesResource object) {
    var ready =
        maps(object.get("status", "conditions"))
            .filter(condition -> "Ready".equals(condition.get("type")))
            .findFirst()
            .orElse(Map.of());
    return new GpuNodeView(
        number(object.get("status", "gpuCount")),
        text(object.get("status", "driver", "version")),
        text(ready.get("status")),
        text(ready.get("reason")),
        text(ready.get("message")),
        sick(object),
        text(object.get("status", "sharing", "strategy")),
        number(object.get("status", "sharing", "replicas")));
  }

  private static Map<Integer, String> sick(GenericKubernetesResource object) {
    return maps(object.get("status", "gpus"))
        .filter(gpu -> !level(gpu).equals("Healthy"))
        .collect(Collectors.toMap(gpu -> number(gpu.get("index")), GpuNodeView::sickness));
  }

  /// A GPU of which nothing is said is not sick.
  private static String level(Map<?, ?> gpu) {
    return gpu.get("health") instanceof Map<?, ?> health
        ? Objects.toString(health.get("level"), "Healthy")
        : "Healthy";
  }

  private static String sickness(Map<?, ?> gpu) {
    var evidence = gpu.get("health") instanceof Map<?, ?> health ? health.get("evidence") : null;
    var words =
        evidence instanceof List<?> list
            ? list.stream().map(Object::toString).collect(Collectors.joining("; "))
            : "";
    return words.isEmpty() ? level(gpu) : level(gpu) + ": " + words;
  }

  /// Such as `8 GPUs, driver 550.163.01, Ready=True (AllReady)`.
  String words() {
    return "%s, driver %s, Ready=%s (%s)"
        .formatted(Words.counted(gpus, "GPU"), driver, ready, reason);
  }

  String sharingWords() {
    return replicas > 1 ? "%s, %d replicas".formatted(sharing, replicas) : sharing;
  }

  private static Stream<Map<?, ?>> maps(@Nullable Object value) {
    List<?> all = value instanceof List<?> list ? list : List.of();
    return all.stream().filter(Map.class::isInstance).map(Map.class::cast);
  }

  private static int number(@Nullable Object value) {
    return value instanceof Number number ? number.intValue() : 0;
  }

  private static String text(@Nullable Object value) {
    return Objects.toString(value, NONE);
  }
}
