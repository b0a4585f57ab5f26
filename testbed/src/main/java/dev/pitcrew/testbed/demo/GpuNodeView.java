package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.Definitions;
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
/// @param unhealthy the GPUs that are not healthy, each with its index, level and evidence
/// @param sharing such as `None` and `TimeSlicing`
/// @param runtime status and message of the condition RuntimeReady, such as `True: containerd has
///   the handlers nvidia`
/// @param host what its host is and who sets what up there
/// @param checks what came of looking at each of its parts
/// @param rollout where it stands in a roll-out of drivers
record GpuNodeView(
    int gpus,
    String driver,
    String ready,
    String reason,
    String message,
    Map<Integer, String> unhealthy,
    String sharing,
    int replicas,
    String runtime,
    HostView host,
    List<CheckView> checks,
    RollOutView rollout) {
  static final ResourceDefinitionContext KIND = Definitions.GPU_NODE;

  private static final String NONE = "-";

  /// @param profile the kind of host, `-` where nothing is said of it
  /// @param runtime such as `Host: /etc is mounted read-only`, as the other two
  record HostView(String name, String profile, String runtime, String toolkit, String driver) {}

  /// @param blocker what it waits for; empty where it waits for nothing
  record RollOutView(String blocker, String next) {}

  /// @param state such as `Passed`
  record CheckView(String part, String state, String message) {}

  GpuNodeView {
    unhealthy = Map.copyOf(unhealthy);
    checks = List.copyOf(checks);
  }

  static GpuNodeView of(Optional<GenericKubernetesResource> object) {
    return object.map(GpuNodeView::of).orElseGet(() -> of(new GenericKubernetesResource()));
  }

  static GpuNodeView of(GenericKubernetesResource object) {
    var ready = condition(object, "Ready");
    var runtime = condition(object, "RuntimeReady");
    return new GpuNodeView(
        number(object.get("status", "gpuCount")),
        text(object.get("status", "driver", "version")),
        text(ready.get("status")),
        text(ready.get("reason")),
        text(ready.get("message")),
        unhealthy(object),
        text(object.get("status", "sharing", "strategy")),
        number(object.get("status", "sharing", "replicas")),
        "%s: %s".formatted(text(runtime.get("status")), text(runtime.get("message"))),
        host(object),
        maps(object.get("status", "validation"))
            .map(check ->
                new CheckView(
                    text(check.get("name")), text(check.get("state")), text(check.get("message"))))
            .toList(),
        new RollOutView(
            Objects.toString(object.get("status", "rollout", "blocker"), ""),
            Objects.toString(object.get("status", "rollout", "nextAction"), "")));
  }

  private static Map<?, ?> condition(GenericKubernetesResource object, String type) {
    return maps(object.get("status", "conditions"))
        .filter(condition -> type.equals(condition.get("type")))
        .findFirst()
        .orElse(Map.of());
  }

  private static HostView host(GenericKubernetesResource object) {
    return new HostView(
        text(object.get("status", "host", "name")),
        text(object.get("status", "host", "profile")),
        owner(object, "runtime"),
        owner(object, "toolkit"),
        owner(object, "driver"));
  }

  private static String owner(GenericKubernetesResource object, String part) {
    return "%s: %s"
        .formatted(
            text(object.get("status", "host", part, "owner")),
            text(object.get("status", "host", part, "reason")));
  }

  private static Map<Integer, String> unhealthy(GenericKubernetesResource object) {
    return maps(object.get("status", "gpus"))
        .filter(gpu -> !level(gpu).equals("Healthy"))
        .collect(Collectors.toMap(gpu -> number(gpu.get("index")), GpuNodeView::unhealthyReason));
  }

  /// A GPU without a report is healthy.
  private static String level(Map<?, ?> gpu) {
    return gpu.get("health") instanceof Map<?, ?> health
        ? Objects.toString(health.get("level"), "Healthy")
        : "Healthy";
  }

  private static String unhealthyReason(Map<?, ?> gpu) {
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
