package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.driver.plan.Observed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Reads the pods of the operator's namespace on a node as the plan looks at them.
final class PodObservation {
  private static final String AGENT = "pitcrew-agent";

  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private PodObservation() {}

  /// @param all pods of the namespace that are on the node
  /// @param holders pods of the node that hold a GPU, as `namespace/name`
  static Observed.Pods of(List<JsonNode> all, List<String> holders) {
    List<JsonNode> here =
        all.stream().filter(pod -> !ENDED.contains(pod.at("/status/phase").asText())).toList();
    return new Observed.Pods(
        holders, selecting(here), here.stream().anyMatch(PodObservation::isAgent));
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

  /// An agent that is active and has to release the driver. A running container does not show that:
  /// it outlives its program, which may crash repeatedly, perhaps for lack of the driver that comes
  /// next. An agent that has the driver open without being ready is found among the processes.
  private static boolean isAgent(JsonNode pod) {
    return pod.at("/metadata/labels/app").asText().equals(AGENT)
        && pod.at("/status/containerStatuses")
            .valueStream()
            .anyMatch(container ->
                container.at("/state/running").isObject() && container.path("ready").asBoolean());
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/namespace").asText() + "/" + pod.at("/metadata/name").asText();
  }
}
