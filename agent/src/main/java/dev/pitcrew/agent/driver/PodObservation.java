package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.core.names.GpuResources;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Reads the pods of a node as the plan looks at them.
///
/// @param namespace of the operator and its operands
/// @param claims whether a pod holds a GPU by a ResourceClaim
record PodObservation(String namespace, Predicate<JsonNode> claims) {
  private static final String AGENT = "pitcrew-agent";

  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  Observed.Pods of(List<JsonNode> all) {
    List<JsonNode> here =
        all.stream().filter(pod -> !ENDED.contains(pod.at("/status/phase").asText())).toList();
    return new Observed.Pods(
        here.stream().filter(this::holdsGpu).map(PodObservation::name).sorted().toList(),
        selecting(here),
        here.stream().anyMatch(this::isAgent));
  }

  /// By what the kubelet has allocated to it, and so by what it asks for.
  private boolean holdsGpu(JsonNode pod) {
    return Stream.concat(
                pod.at("/spec/initContainers").valueStream(),
                pod.at("/spec/containers").valueStream())
            .anyMatch(PodObservation::asksForGpu)
        || claims.test(pod);
  }

  private static boolean asksForGpu(JsonNode container) {
    return Stream.of("limits", "requests")
        .flatMap(kind -> container.path("resources").path(kind).properties().stream())
        .anyMatch(it -> GpuResources.isGpu(it.getKey()) && !it.getValue().asText().equals("0"));
  }

  /// Whatever DaemonSet a pod is of, it goes when a label goes that it selects; any other stays.
  private static Map<String, Set<String>> selecting(List<JsonNode> pods) {
    var selecting = new HashMap<String, Set<String>>();
    pods.stream()
        .filter(PodObservation::isOfDaemonSet)
        .forEach(pod ->
            pod.at("/spec/nodeSelector")
                .fieldNames()
                .forEachRemaining(label ->
                    selecting.computeIfAbsent(label, _ -> new TreeSet<>()).add(name(pod))));
    return selecting;
  }

  private static boolean isOfDaemonSet(JsonNode pod) {
    return pod.at("/metadata/ownerReferences")
        .valueStream()
        .filter(owner -> owner.path("controller").asBoolean())
        .anyMatch(owner -> owner.path("kind").asText().equals("DaemonSet"));
  }

  /// One that is at work and has to let go. That it runs does not tell: its container outlives the
  /// program in it, which may crash over and over, perhaps for want of just the driver that comes
  /// next. One that has the driver open without being ready is among the processes that do.
  private boolean isAgent(JsonNode pod) {
    return pod.at("/metadata/namespace").asText().equals(namespace)
        && pod.at("/metadata/labels/app").asText().equals(AGENT)
        && pod.at("/status/containerStatuses")
            .valueStream()
            .anyMatch(container ->
                container.at("/state/running").isObject() && container.path("ready").asBoolean());
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/namespace").asText() + "/" + pod.at("/metadata/name").asText();
  }
}
