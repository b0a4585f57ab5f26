package dev.pitcrew.operator.node;

import dev.pitcrew.core.names.NodeLabels;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which nodes change between the pod of an operand and the node's agent, shown by the value of the
/// operand's label: its DaemonSet selects `true`, and [NodeLabels#PROVIDED_BY_AGENT] keeps its pod
/// off. Where no change is under way the label is `true`, with either provider.
///
/// @param byLabel the changes that are under way, by the key of the label
public record ProviderMoves(Map<String, Move> byLabel) {
  /// None is under way.
  public static final ProviderMoves NONE = new ProviderMoves(Map.of());

  private static final String TRUE = "true";

  public ProviderMoves {
    byLabel = Map.copyOf(byLabel);
  }

  /// One change, by the names of the nodes whose turn it is. All others stay as they are.
  ///
  /// @param toAgent nodes whose agent provides what the operand does
  /// @param toOperand nodes that the operand's pod is to come back to
  public record Move(Set<String> toAgent, Set<String> toOperand) {
    public Move {
      toAgent = Set.copyOf(toAgent);
      toOperand = Set.copyOf(toOperand);
    }
  }

  /// A change of a node with what its labels need besides.
  public NodeChange in(NodeChange change, NodeFacts node) {
    var labels = new HashMap<String, @Nullable String>(change.labels());
    LabelSets.MANAGED.forEach(key -> {
      @Nullable String value =
          change.labels().containsKey(key) ? change.labels().get(key) : node.labels().get(key);
      if (value != null) {
        moved(node.name(), key, value).ifPresent(moved -> put(labels, node, key, moved));
      }
    });
    return new NodeChange(labels, change.annotations(), change.warnings());
  }

  private static void put(
      Map<String, @Nullable String> labels, NodeFacts node, String key, String value) {
    if (value.equals(node.labels().get(key))) {
      labels.remove(key);
    } else {
      labels.put(key, value);
    }
  }

  private Optional<String> moved(String node, String label, String value) {
    Optional<Move> move = Optional.ofNullable(byLabel.get(label));
    return switch (value) {
      case TRUE ->
          move.filter(it -> it.toAgent().contains(node)).map(_ -> NodeLabels.PROVIDED_BY_AGENT);
      case NodeLabels.PROVIDED_BY_AGENT ->
          move.map(it -> it.toOperand().contains(node)).orElse(true)
              ? Optional.of(TRUE)
              : Optional.empty();
      default -> Optional.empty();
    };
  }
}
