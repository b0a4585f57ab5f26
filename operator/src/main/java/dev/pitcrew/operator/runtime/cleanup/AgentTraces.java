package dev.pitcrew.operator.runtime.cleanup;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.operator.node.LeftMarks;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;
import java.util.function.BiFunction;

/// Takes an agent's taints and its condition off a node where no agent is to run any more.
public final class AgentTraces {
  private AgentTraces() {}

  /// Does nothing where there are none.
  ///
  /// @return why the API server does not let them go; empty where they are gone
  public static Optional<String> remove(Applier applier, Node node) {
    LeftMarks marks = LeftMarks.of(node);
    Optional<String> taints = refusal(node, marks.taints(), applier::patch);
    return refusal(node, marks.condition(), applier::mergeStatus).or(() -> taints);
  }

  private static Optional<String> refusal(
      Node node, Optional<JsonNode> patch, BiFunction<Node, JsonNode, ApplyResult> send) {
    return patch
        .map(it -> send.apply(node, it))
        .filter(ApplyResult.Refused.class::isInstance)
        .map(ApplyResult.Refused.class::cast)
        .map(ApplyResult.Refused::message);
  }
}
