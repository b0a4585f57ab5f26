package dev.pitcrew.operator.policy;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.requests.Placement;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.policy.AgentFunctions.Replacement;
import dev.pitcrew.operator.render.FunctionsInForce;
import dev.pitcrew.operator.render.Operand;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What decides a [TakeoverPlan].
///
/// @param wanted the agent as the FleetPolicy has it
/// @param placement on which nodes the FleetPolicy has agents
/// @param agentSet the agents' DaemonSet
/// @param daemonSets those of operands that are not on their way out
/// @param isReady whether a node's kubelet says that it is
/// @param provided the functions that a node's agent provides there
/// @param isKnown whether that can be said of all nodes
/// @param hasAgent whether a pod of the agent is on a node, ending or not
/// @param ready how many pods of a DaemonSet are ready and stay so
public record TakeoverSituation(
    AgentSpec wanted,
    Placement placement,
    ClusterPolicySpec policy,
    Optional<DaemonSet> agentSet,
    Collection<DaemonSet> daemonSets,
    Collection<Node> nodes,
    Predicate<Node> isReady,
    Function<Node, Set<AgentFunction>> provided,
    boolean isKnown,
    Predicate<Node> hasAgent,
    ToIntFunction<DaemonSet> ready) {

  /// The DaemonSet of an operand that the agents replace.
  record Replaced(DaemonSet daemonSet, Replacement by) {}

  /// An operand that is to provide on nodes where agents did.
  ///
  /// @param nodes those of them that are still the agents'
  record Returning(
      Operand operand,
      String label,
      Set<AgentFunction> functions,
      Optional<DaemonSet> daemonSet,
      List<Node> nodes) {}

  /// Whether it matters what agents say of their nodes.
  public boolean asksAgents() {
    return !replaced().isEmpty() || !leaving().isEmpty();
  }

  private FunctionsInForce functions() {
    return FunctionsInForce.of(wanted, policy);
  }

  /// Those of operands that the agents replace.
  List<Replaced> replaced() {
    return AgentFunctions.replaced(functions()).stream()
        .filter(operand -> operand.isEnabled(policy))
        .flatMap(operand ->
            daemonSetOf(operand).stream()
                .map(it -> new Replaced(it, AgentFunctions.replacement(operand).orElseThrow())))
        .toList();
  }

  /// Operands that agents have replaced until now, and whose DaemonSet is still to come.
  List<Returning> leaving() {
    List<Operand> before =
        agentSet
            .filter(AgentInForce::hasReadyPod)
            .flatMap(AgentInForce::recorded)
            .map(agent -> AgentFunctions.replaced(FunctionsInForce.of(agent, policy)))
            .orElse(List.of());
    return toProvide()
        .filter(it -> before.contains(it.operand()) && it.daemonSet().isEmpty())
        .toList();
  }

  /// Operands some of whose nodes are still their agents'.
  List<Returning> returning() {
    return toProvide().filter(it -> !it.nodes().isEmpty()).toList();
  }

  /// Whether nodes with GPUs may have no agent, so that operands stay beside agents.
  boolean leavesOutNodes() {
    return wanted.isEnabled() && wanted.leavesOutNodes();
  }

  /// Whether the FleetPolicy has no agent on the node.
  boolean isLeftOut(Node node) {
    return leavesOutNodes() && !placement.allows(node.getMetadata().getName(), labels(node));
  }

  /// The agent as it was rendered last.
  Optional<AgentSpec> before() {
    return agentSet.flatMap(AgentInForce::recorded);
  }

  /// What agents have handed back on nodes that they are to leave, as long as one is there: it
  /// would provide again.
  Set<AgentFunction> handedBackOnNodesToLeave() {
    Optional<AgentSpec> before = before();
    if (!leavesOutNodes() || before.isEmpty() || haveLeft(before.get())) {
      return Set.of();
    }
    return AgentFunctions.replaced(functions()).stream()
        .flatMap(operand -> AgentFunctions.replacement(operand).stream())
        .flatMap(it -> it.functions().stream())
        .filter(function -> !before.get().functions().contains(function))
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean haveLeft(AgentSpec before) {
    return isKnown
        && before.onNodesOf(wanted).equals(before)
        && readyNodes().stream().noneMatch(node -> isLeftOut(node) && hasAgent.test(node));
  }

  private Stream<Returning> toProvide() {
    return Operands.ALL.stream()
        .filter(this::isToProvide)
        .flatMap(operand ->
            AgentFunctions.replacement(operand).stream()
                .flatMap(it ->
                    it.label().stream()
                        .map(label ->
                            new Returning(
                                operand,
                                label,
                                it.functions(),
                                daemonSetOf(operand),
                                toHandBack(operand, label)))));
  }

  private boolean isToProvide(Operand operand) {
    return operand.isEnabled(policy) && (leavesOutNodes() || !isReplaced(operand));
  }

  private boolean isReplaced(Operand operand) {
    return AgentFunctions.replace(operand, functions());
  }

  private List<Node> toHandBack(Operand operand, String label) {
    return nodesOfAgents(label).stream()
        .filter(node -> !isReplaced(operand) || isLeftOut(node))
        .toList();
  }

  private Optional<DaemonSet> daemonSetOf(Operand operand) {
    return daemonSets.stream()
        .filter(it -> it.getMetadata().getName().equals(operand.daemonSetName()))
        .findFirst();
  }

  private List<Node> nodesOfAgents(String label) {
    return nodes.stream()
        .filter(node -> NodeLabels.PROVIDED_BY_AGENT.equals(labels(node).get(label)))
        .toList();
  }

  List<Node> readyNodes() {
    return nodes.stream().filter(isReady).toList();
  }

  boolean provides(Node node, Set<AgentFunction> functions) {
    return provided.apply(node).containsAll(functions);
  }

  /// Whether a DaemonSet other than the named one selects the node by the same label.
  boolean isShared(String label, Node node, String daemonSet) {
    return daemonSets.stream()
        .filter(other -> !other.getMetadata().getName().equals(daemonSet))
        .filter(other -> selector(other).containsKey(label))
        .anyMatch(other -> isSelected(other, node));
  }

  static boolean isSelected(DaemonSet daemonSet, Node node) {
    return LabelSelector.matches(selector(daemonSet), labels(node));
  }

  static Map<String, String> selector(DaemonSet daemonSet) {
    return Objects.requireNonNullElse(
        daemonSet.getSpec().getTemplate().getSpec().getNodeSelector(), Collections.emptyMap());
  }

  static Map<String, String> labels(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }
}
