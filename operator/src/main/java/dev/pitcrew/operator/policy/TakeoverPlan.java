package dev.pitcrew.operator.policy;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.cluster.ClusterFacts.Agents;
import dev.pitcrew.operator.node.ProviderMoves;
import dev.pitcrew.operator.node.ProviderMoves.Move;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.policy.AgentFunctions.Replacement;
import dev.pitcrew.operator.render.FunctionsInForce;
import dev.pitcrew.operator.render.Operand;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Who provides what an operand and the node agents both can, node by node. At any moment a node
/// has one of the two.
///
/// Onto the agents:
/// 1. While the DaemonSet of an operand that they replace is there, the label of a node changes to
///    [NodeLabels#PROVIDED_BY_AGENT] once its agent provides all that the operand does, by the word
///    of a pod that is ready on this very node. The operand's pod ends there. For the moment before
///    both run, and the kubelet listens to the device plugin that registered last.
/// 2. When no ready node is left to the DaemonSet it goes, and the labels are `true` again.
///
/// Back to the operands:
/// 1. The labels of nodes whose agent provides change to [NodeLabels#PROVIDED_BY_AGENT]. Until then
///    the agents are given what they were given before, and the operand has no DaemonSet.
/// 2. The DaemonSet comes. The agents get the list of what they hand back: on nodes with that label
///    they go on.
/// 3. A tenth of the nodes at a time is labelled `true`: the agent stops, the operand's pod starts.
///    The next follow as pods are ready and stay so, so an operand that does not come up stops it
///    there.
/// 4. When the label is left nowhere the agents are as the FleetPolicy has them.
///
/// The labels are all that remembers a change, so an operator goes on where another one ended.
///
/// A label stays where a DaemonSet that is to stay selects the node by it as well, as that of the
/// MPS control daemons does: such a node changes with the whole DaemonSet. So do all nodes of an
/// operand that is found by a Service.
///
/// @param agent as it is to be rendered now
/// @param handingBack the functions that agents go on with where the label says so
public record TakeoverPlan(
    AgentSpec agent, List<AgentFunction> handingBack, Agents agents, ProviderMoves moves) {
  private static final int SHARE_AT_A_TIME = 10;

  /// What decides about it.
  ///
  /// @param wanted the agent as the FleetPolicy has it
  /// @param agentSet the agents' DaemonSet
  /// @param daemonSets those of operands that are not on their way out
  /// @param isReady whether a node's kubelet says that it is
  /// @param provided the functions that a node's agent provides there
  /// @param isKnown whether that can be said of all nodes
  /// @param ready how many pods of a DaemonSet are ready and stay so
  public record Situation(
      AgentSpec wanted,
      ClusterPolicySpec policy,
      Optional<DaemonSet> agentSet,
      Collection<DaemonSet> daemonSets,
      Collection<Node> nodes,
      Predicate<Node> isReady,
      Function<Node, Set<AgentFunction>> provided,
      boolean isKnown,
      ToIntFunction<DaemonSet> ready) {

    /// Whether it matters what agents say of their nodes.
    public boolean asksAgents() {
      return !replaced().isEmpty() || !leaving().isEmpty();
    }

    private FunctionsInForce functions() {
      return FunctionsInForce.of(wanted, policy);
    }

    /// Those of operands that the agents replace.
    private List<Replaced> replaced() {
      return AgentFunctions.replaced(functions()).stream()
          .filter(operand -> operand.isEnabled(policy))
          .flatMap(operand ->
              daemonSetOf(operand).stream()
                  .map(it -> new Replaced(it, AgentFunctions.replacement(operand).orElseThrow())))
          .toList();
    }

    /// Operands that agents have replaced until now, and whose DaemonSet is still to come.
    private List<Returning> leaving() {
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
    private List<Returning> returning() {
      return toProvide().filter(it -> !nodesOfAgents(it.label()).isEmpty()).toList();
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
                                  operand, label, it.functions(), daemonSetOf(operand)))));
    }

    private boolean isToProvide(Operand operand) {
      return operand.isEnabled(policy) && !AgentFunctions.replace(operand, functions());
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

    private List<Node> readyNodes() {
      return nodes.stream().filter(isReady).toList();
    }

    private boolean provides(Node node, Set<AgentFunction> functions) {
      return provided.apply(node).containsAll(functions);
    }

    /// Whether a DaemonSet other than the named one selects the node by the same label.
    private boolean isShared(String label, Node node, String daemonSet) {
      return daemonSets.stream()
          .filter(other -> !other.getMetadata().getName().equals(daemonSet))
          .filter(other -> selector(other).containsKey(label))
          .anyMatch(other -> isSelected(other, node));
    }
  }

  /// The DaemonSet of an operand that the agents replace.
  private record Replaced(DaemonSet daemonSet, Replacement by) {}

  /// An operand that is to provide again.
  private record Returning(
      Operand operand, String label, Set<AgentFunction> functions, Optional<DaemonSet> daemonSet) {}

  public static TakeoverPlan of(Situation situation) {
    var moves = new HashMap<String, Move>();
    Agents agents = ontoAgents(situation, moves);
    List<Returning> leaving = situation.leaving();
    List<Returning> returning = situation.returning();
    var marked = new TreeSet<String>();
    leaving.forEach(it -> marked.addAll(mark(it, situation, moves)));
    if (!leaving.isEmpty() && (!marked.isEmpty() || !situation.isKnown())) {
      AgentSpec before =
          situation.agentSet().flatMap(AgentInForce::recorded).orElse(situation.wanted());
      returning.forEach(it -> moves.putIfAbsent(it.label(), new Move(Set.of(), Set.of())));
      return new TakeoverPlan(
          before, List.of(), agents.returning(marked), new ProviderMoves(moves));
    }
    return new TakeoverPlan(
        returning.isEmpty() ? situation.wanted() : running(situation.wanted()),
        returning.stream().flatMap(it -> it.functions().stream()).sorted().toList(),
        agents.returning(giveBack(returning, situation, moves)),
        new ProviderMoves(moves));
  }

  private static Agents ontoAgents(Situation situation, Map<String, Move> moves) {
    boolean isRunning = situation.agentSet().filter(AgentInForce::isRunning).isPresent();
    var awaited = new TreeSet<String>();
    for (Replaced replaced : situation.replaced()) {
      DaemonSet daemonSet = replaced.daemonSet();
      Optional<String> label =
          replaced.by().label().filter(it -> selector(daemonSet).containsKey(it));
      var toAgent = new HashSet<String>();
      for (Node node : situation.readyNodes()) {
        if (!isSelected(daemonSet, node)) {
          continue;
        }
        boolean isProvided = isRunning && situation.provides(node, replaced.by().functions());
        boolean changesAlone =
            label
                .filter(it -> !situation.isShared(it, node, daemonSet.getMetadata().getName()))
                .isPresent();
        if (isProvided && changesAlone) {
          toAgent.add(name(node));
        }
        if (!isProvided || changesAlone) {
          awaited.add(name(node));
        }
      }
      label.ifPresent(it -> moves.put(it, new Move(toAgent, Set.of())));
    }
    if (!isRunning) {
      return Agents.NONE;
    }
    return awaited.isEmpty() ? Agents.AT_WORK : Agents.awaitedOn(awaited);
  }

  private static Set<String> mark(Returning leaving, Situation situation, Map<String, Move> moves) {
    Set<String> marked =
        situation.readyNodes().stream()
            .filter(node -> "true".equals(labels(node).get(leaving.label())))
            .filter(node -> situation.provides(node, leaving.functions()))
            .filter(node ->
                !situation.isShared(leaving.label(), node, leaving.operand().daemonSetName()))
            .map(TakeoverPlan::name)
            .collect(Collectors.toUnmodifiableSet());
    moves.put(leaving.label(), new Move(marked, Set.of()));
    return marked;
  }

  /// It runs on until it has handed back everything.
  private static AgentSpec running(AgentSpec wanted) {
    return wanted.isEnabled() ? wanted : wanted.withoutFunctions();
  }

  /// Gives the next nodes back to the operands. One that is not ready has no pod to wait for.
  ///
  /// @return the nodes that are still their agents'
  private static SortedSet<String> giveBack(
      List<Returning> returning, Situation situation, Map<String, Move> moves) {
    List<Node> nodes =
        returning.stream().flatMap(it -> situation.nodesOfAgents(it.label()).stream()).toList();
    SortedSet<String> left = names(nodes.stream());
    SortedSet<String> ready = names(nodes.stream().filter(situation.isReady()));
    List<DaemonSet> daemonSets = returning.stream().flatMap(it -> it.daemonSet().stream()).toList();
    int given = most(daemonSets, it -> suitable(it, situation));
    int underWay =
        most(daemonSets, it -> suitable(it, situation) - situation.ready().applyAsInt(it));
    int atATime = Math.max(1, (ready.size() + given) / SHARE_AT_A_TIME);
    Set<String> next =
        Stream.concat(
                left.stream().filter(node -> !ready.contains(node)),
                ready.stream().limit(Math.max(0, atATime - underWay)))
            .collect(Collectors.toUnmodifiableSet());
    returning.forEach(it ->
        moves.put(it.label(), new Move(Set.of(), it.daemonSet().isPresent() ? next : Set.of())));
    return left;
  }

  private static SortedSet<String> names(Stream<Node> nodes) {
    return nodes.map(TakeoverPlan::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private static int most(List<DaemonSet> daemonSets, ToIntFunction<DaemonSet> count) {
    return daemonSets.stream().mapToInt(count).reduce(0, Math::max);
  }

  /// Counted by the labels of nodes: the DaemonSet controller counts later.
  private static int suitable(DaemonSet daemonSet, Situation situation) {
    return SuitableNodes.of(daemonSet.getSpec().getTemplate().getSpec(), situation.readyNodes())
        .count();
  }

  private static boolean isSelected(DaemonSet daemonSet, Node node) {
    return LabelSelector.matches(selector(daemonSet), labels(node));
  }

  private static Map<String, String> selector(DaemonSet daemonSet) {
    return Objects.requireNonNullElse(
        daemonSet.getSpec().getTemplate().getSpec().getNodeSelector(), Collections.emptyMap());
  }

  private static Map<String, String> labels(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }

  private static String name(Node node) {
    return node.getMetadata().getName();
  }
}
