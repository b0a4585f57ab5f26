package dev.pitcrew.core.rollout;

import java.util.Collection;

/// Whether a roll-out is over, and how.
public enum RolloutEnd {
  /// Nodes are under way, or wait for their turn.
  NONE,
  /// All nodes have the driver that is wanted.
  DONE,
  /// No node is under way and none begins automatically.
  STOPPED;

  /// One node on its way to the driver that is wanted.
  ///
  /// @param done whether it has that driver, and nothing is left to do
  /// @param moving whether it is under way, or begins now
  public record Node(boolean done, boolean moving, boolean failed) {}

  /// What is not carried out is not done, though all nodes have what was wanted before.
  ///
  /// @param halted whether no further node begins, since others failed
  /// @param refused whether the operator does not carry the policy out
  public static RolloutEnd of(Collection<Node> nodes, boolean halted, boolean refused) {
    if (!refused && nodes.stream().allMatch(Node::done)) {
      return DONE;
    }
    boolean bad = refused || halted || nodes.stream().anyMatch(Node::failed);
    return bad && nodes.stream().noneMatch(Node::moving) ? STOPPED : NONE;
  }
}
