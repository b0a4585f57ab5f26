package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/// Facts of DaemonSets and Deployments: which pods they run, and how these are replaced.
final class WorkloadFacts {
  private static final int DEFAULT_REVISIONS = 10;

  static ObjectNode daemonSet(JsonNode object, String name, Recording recording) {
    var spec = object.path("spec");
    return new FactObject()
        .with("selector", spec.path("selector"))
        .with("minReadySeconds", unless(spec.path("minReadySeconds"), 0))
        .with("revisionHistoryLimit", unless(spec.path("revisionHistoryLimit"), DEFAULT_REVISIONS))
        .with("updateStrategy", updateStrategy(spec.path("updateStrategy")))
        .withNumber("desiredNodes", object.at("/status/desiredNumberScheduled").asInt())
        .with("pod", pod(spec, name, recording))
        .build();
  }

  private static ObjectNode updateStrategy(JsonNode strategy) {
    var rolling = strategy.path("rollingUpdate");
    return new FactObject()
        .with("type", strategy.path("type"))
        .with("maxUnavailable", rolling.path("maxUnavailable"))
        .with("maxSurge", unless(rolling.path("maxSurge"), 0))
        .build();
  }

  static ObjectNode deployment(JsonNode object, String name, Recording recording) {
    var spec = object.path("spec");
    return new FactObject()
        .with("replicas", spec.path("replicas"))
        .with("selector", spec.path("selector"))
        .with("strategy", spec.at("/strategy/type"))
        .with("pod", pod(spec, name, recording))
        .build();
  }

  private static ObjectNode pod(JsonNode spec, String name, Recording recording) {
    return PodTemplateFacts.of(
        spec.path("template"), digest -> recording.digests().numbered(name, digest));
  }

  /// A number that the API server fills in itself says nothing.
  private static JsonNode unless(JsonNode value, int filledIn) {
    return value.equals(IntNode.valueOf(filledIn)) ? MissingNode.getInstance() : value;
  }

  private WorkloadFacts() {}
}
