package dev.pitcrew.operator.runtime.cleanup;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.operator.node.LeftMarks;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;
import java.util.function.BiFunction;

/// Takes off a node what agents have put there, where no agent is to run any more.
public final class AgentTraces {
  private AgentTraces() {}

  /// Whether [#removeAll] has anything to do.
  static boolean areOn(Node node) {
    LeftMarks marks = LeftMarks.of(node);
    return LeftMarks.hasLabels(node) || marks.taints().isPresent() || marks.condition().isPresent();
  }

  /// Removes the labels, too. They state facts that NVIDIA's operands depend on, so they stay as
  /// long as there is a policy. An empty apply under the agents' name removes what they have
  /// applied, except what another writer has set, too.
  ///
  /// @return as [#remove]
  public static Optional<String> removeAll(Applier applier, Node node) {
    Optional<String> marks = remove(applier, node);
    ApplyResult labels =
        LeftMarks.hasLabels(node)
            ? applier.as(FieldManager.AGENT).apply(LeftMarks.nothing(node), Optional.empty())
            : new ApplyResult.Unchanged();
    return labels instanceof ApplyResult.Refused(String why) ? Optional.of(why) : marks;
  }

  /// Takes the taints and the condition; does nothing where there are none.
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
