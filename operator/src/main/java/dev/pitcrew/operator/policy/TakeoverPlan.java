package dev.pitcrew.operator.policy;

import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.cluster.ClusterFacts.Agents;
import dev.pitcrew.operator.node.ProviderMoves;
import dev.pitcrew.operator.node.ProviderMoves.Move;
import dev.pitcrew.operator.policy.TakeoverSituation.Returning;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
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
/// Where the FleetPolicy leaves out nodes, the DaemonSets stay, and so do the labels of nodes whose
/// agent provides. A node that it comes to leave out goes the way back, on which agents stay where
/// they are; then they leave these nodes; and when they have left, what they handed back is given
/// to them again.
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

  public static TakeoverPlan of(TakeoverSituation situation) {
    var moves = new HashMap<String, Move>();
    Agents agents = ontoAgents(situation, moves);
    List<Returning> leaving = situation.leaving();
    List<Returning> returning = situation.returning();
    var marked = new TreeSet<String>();
    leaving.forEach(it -> marked.addAll(mark(it, situation, moves)));
    if (!leaving.isEmpty() && (!marked.isEmpty() || !situation.isKnown())) {
      returning.forEach(it -> moves.putIfAbsent(it.label(), new Move(Set.of(), Set.of())));
      return new TakeoverPlan(
          situation.before().orElse(situation.wanted()),
          List.of(),
          agents.leaveOutNodes(false).returning(marked),
          new ProviderMoves(moves));
    }
    Set<AgentFunction> handedBack =
        Stream.concat(
                returning.stream().flatMap(it -> it.functions().stream()),
                situation.handedBackOnNodesToLeave().stream())
            .collect(Collectors.toCollection(TreeSet::new));
    return new TakeoverPlan(
        returning.isEmpty()
            ? situation.wanted().without(handedBack)
            : running(situation).without(handedBack),
        List.copyOf(handedBack),
        agents.returning(giveBack(returning, situation, moves)),
        new ProviderMoves(moves));
  }

  private static Agents ontoAgents(TakeoverSituation situation, Map<String, Move> moves) {
    boolean isRunning = situation.agentSet().filter(AgentInForce::isRunning).isPresent();
    var awaited = new TreeSet<String>();
    for (TakeoverSituation.Replaced replaced : situation.replaced()) {
      DaemonSet daemonSet = replaced.daemonSet();
      Optional<String> label =
          replaced.by().label().filter(it -> TakeoverSituation.selector(daemonSet).containsKey(it));
      var toAgent = new HashSet<String>();
      for (Node node : situation.readyNodes()) {
        if (!TakeoverSituation.isSelected(daemonSet, node) || situation.isLeftOut(node)) {
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
        if (!isProvided || changesAlone || situation.leavesOutNodes()) {
          awaited.add(name(node));
        }
      }
      label.ifPresent(it -> moves.put(it, new Move(toAgent, Set.of())));
    }
    Agents agents =
        !isRunning ? Agents.NONE : awaited.isEmpty() ? Agents.AT_WORK : Agents.awaitedOn(awaited);
    return agents.leaveOutNodes(situation.leavesOutNodes());
  }

  private static Set<String> mark(
      Returning leaving, TakeoverSituation situation, Map<String, Move> moves) {
    Set<String> marked =
        situation.readyNodes().stream()
            .filter(node -> "true".equals(TakeoverSituation.labels(node).get(leaving.label())))
            .filter(node -> situation.provides(node, leaving.functions()))
            .filter(node ->
                !situation.isShared(leaving.label(), node, leaving.operand().daemonSetName()))
            .map(TakeoverPlan::name)
            .collect(Collectors.toUnmodifiableSet());
    moves.put(leaving.label(), new Move(marked, Set.of()));
    return marked;
  }

  /// It runs on, on the same nodes, until it has handed back everything.
  private static AgentSpec running(TakeoverSituation situation) {
    AgentSpec wanted = situation.wanted();
    return (wanted.isEnabled() ? wanted : wanted.withoutFunctions())
        .onNodesOf(situation.before().orElse(wanted));
  }

  /// Gives the next nodes back to the operands. One that is not ready has no pod to wait for.
  ///
  /// @return the nodes that are still their agents'
  private static SortedSet<String> giveBack(
      List<Returning> returning, TakeoverSituation situation, Map<String, Move> moves) {
    List<Node> nodes = returning.stream().flatMap(it -> it.nodes().stream()).toList();
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
    returning.forEach(it -> {
      Set<String> toAgent =
          Optional.ofNullable(moves.get(it.label())).map(Move::toAgent).orElse(Set.of());
      moves.put(it.label(), new Move(toAgent, it.daemonSet().isPresent() ? next : Set.of()));
    });
    return left;
  }

  private static SortedSet<String> names(Stream<Node> nodes) {
    return nodes.map(TakeoverPlan::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private static int most(List<DaemonSet> daemonSets, ToIntFunction<DaemonSet> count) {
    return daemonSets.stream().mapToInt(count).reduce(0, Math::max);
  }

  /// Counted by the labels of nodes: the DaemonSet controller counts later.
  private static int suitable(DaemonSet daemonSet, TakeoverSituation situation) {
    return SuitableNodes.of(daemonSet.getSpec().getTemplate().getSpec(), situation.readyNodes())
        .count();
  }

  private static String name(Node node) {
    return node.getMetadata().getName();
  }
}
