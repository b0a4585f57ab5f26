package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Facts of a node: the marks in nvidia.com domains, taints, and whether it takes pods.
public final class NodeFacts {

  /// The node label in which the state of a driver upgrade is kept.
  public static final String UPGRADE_STATE = "nvidia.com/gpu-driver-upgrade-state";

  private static final Pattern TIME = Pattern.compile("\\d{9,}|\\d{4}-\\d\\d-\\d\\dT.*");

  static ObjectNode of(JsonNode node, Recording recording) {
    var spec = node.path("spec");
    return new FactObject()
        .with("labels", labels(node, recording))
        .with("annotations", annotations(node))
        .with("unschedulable", spec.path("unschedulable"))
        .with("taints", FactObject.setOf(taints(spec)))
        .build();
  }

  private static ObjectNode labels(JsonNode node, Recording recording) {
    var labels =
        MetadataFacts.texts(node.at("/metadata/labels"), NodeFacts::isNvidia, LongText::shortened);
    var isIdle = labels.path(UPGRADE_STATE).asText().equals("upgrade-done");
    if (isIdle && !recording.keepUpgradeDone()) {
      labels.remove(UPGRADE_STATE);
    }
    return labels;
  }

  private static ObjectNode annotations(JsonNode node) {
    return MetadataFacts.texts(
        node.at("/metadata/annotations"), NodeFacts::isNvidia, NodeFacts::withoutTime);
  }

  private static String withoutTime(String value) {
    return TIME.matcher(value).matches() ? "<time>" : LongText.shortened(value);
  }

  private static boolean isNvidia(String key) {
    return ClusterFacts.domain(key).endsWith("nvidia.com");
  }

  private static Stream<String> taints(JsonNode spec) {
    return StreamSupport.stream(spec.path("taints").spliterator(), false)
        .filter(taint -> !taint.path("key").asText().startsWith("node.kubernetes.io/"))
        .map(NodeFacts::taint);
  }

  private static String taint(JsonNode taint) {
    return taint.path("key").asText()
        + "="
        + taint.path("value").asText()
        + ":"
        + taint.path("effect").asText();
  }

  private NodeFacts() {}
}
