package dev.pitcrew.operator.cluster;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Everything outside the ClusterPolicy that decides what the operands look like.
///
/// @param namespace the operator's namespace, where all operands run
/// @param pools pools of the GPU nodes whose operating system is known
/// @param hasGpuNodes whether any node has a GPU; how many is no fact, or each node that joins
///   would change every plan
/// @param unlabelledGpuNodes GPU nodes that lack the operating-system labels, for messages
/// @param featureLabels whether any node carries a feature-discovery label
/// @param configMaps name → keys of the ConfigMaps in the namespace
/// @param secrets names of the Secrets in the namespace that the policy refers to and that exist;
///   empty while the API server does not list any
/// @param optionalKinds kinds of the Prometheus operator that the API server serves
/// @param servedSystems name of a DaemonSet of drivers → the operating system that it serves today,
///   as the tag of its image has it
/// @param agents whether the node agents do the work of the operands that they replace
/// @param tainting whether node agents taint nodes, or wait to take a taint away
public record ClusterFacts(
    String namespace,
    ContainerRuntime runtime,
    Optional<OpenShift> openShift,
    SortedSet<NodePool> pools,
    boolean hasGpuNodes,
    SortedSet<String> unlabelledGpuNodes,
    boolean featureLabels,
    Map<String, SortedSet<String>> configMaps,
    Optional<Set<String>> secrets,
    Set<String> optionalKinds,
    Map<String, String> servedSystems,
    Agents agents,
    boolean tainting) {

  /// Whether the node agents do the work of the operands that they replace.
  ///
  /// @param areAtWork whether they run, and serve each ready GPU node that such an operand serves
  /// @param awaited the nodes among these that they do not serve yet, once they run
  /// @param returning nodes where they still do what operands are to do again
  /// @param leaveOutNodes whether operands go on beside them, on nodes that the agents leave out
  public record Agents(
      boolean areAtWork,
      SortedSet<String> awaited,
      SortedSet<String> returning,
      boolean leaveOutNodes) {
    /// None runs.
    public static final Agents NONE =
        new Agents(false, Collections.emptySortedSet(), Collections.emptySortedSet(), false);

    /// They serve wherever they have to.
    public static final Agents AT_WORK =
        new Agents(true, Collections.emptySortedSet(), Collections.emptySortedSet(), false);

    /// They do not, on these nodes.
    public static Agents awaitedOn(SortedSet<String> nodes) {
      return new Agents(false, nodes, Collections.emptySortedSet(), false);
    }

    /// The same, while nodes are handed back to operands.
    public Agents returning(SortedSet<String> nodes) {
      return new Agents(areAtWork, awaited, nodes, leaveOutNodes);
    }

    /// The same beside operands, or in their place.
    public Agents leaveOutNodes(boolean areLeftOut) {
      return new Agents(areAtWork, awaited, returning, areLeftOut);
    }
  }

  public boolean isOpenShift() {
    return openShift.isPresent();
  }

  public boolean serves(String kind) {
    return optionalKinds.contains(kind);
  }
}
