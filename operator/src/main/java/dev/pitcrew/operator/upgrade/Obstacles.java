package dev.pitcrew.operator.upgrade;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What keeps nodes from beginning, as far as the nodes do not report it themselves.
///
/// @param ofAll what holds for every node
/// @param byNode what holds for one of them, by its name
/// @param leaving names of nodes that are of no fleet any more, and out of service by our cordon
///   until it is seen to be undone: they count against the budget of every fleet
public record Obstacles(Optional<String> ofAll, Map<String, Hold> byNode, List<String> leaving) {

  /// Nothing.
  public static final Obstacles NONE = new Obstacles(Optional.empty(), Map.of(), List.of());

  public Obstacles {
    byNode = Map.copyOf(byNode);
    leaving = List.copyOf(leaving);
  }

  /// The same, and this for every node, if it is there.
  public Obstacles and(Optional<String> obstacle) {
    return new Obstacles(ofAll.or(() -> obstacle), byNode, leaving);
  }

  /// The same where another driver is asked for: what holds single nodes are the images of this
  /// one.
  public Obstacles ofAnyDriver() {
    return new Obstacles(ofAll, Map.of(), leaving);
  }

  Optional<Hold> of(UpgradeNode node) {
    return ofAll
        .map(why -> Hold.of(why, "it begins when that is fixed"))
        .or(() -> Optional.ofNullable(byNode.get(node.name())));
  }
}
