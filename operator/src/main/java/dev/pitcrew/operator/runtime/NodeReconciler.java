package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.requests.Placement;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.operator.node.DriverDecision;
import dev.pitcrew.operator.node.DriverOwners;
import dev.pitcrew.operator.node.NodeChange;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.NodePlan;
import dev.pitcrew.operator.node.NodePolicy;
import dev.pitcrew.operator.node.ProviderMoves;
import dev.pitcrew.operator.policy.NodePolicies;
import dev.pitcrew.operator.runtime.cleanup.AgentTraces;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Labels one node at a time after the policy in force.
final class NodeReconciler {
  private static final Logger log = LoggerFactory.getLogger(NodeReconciler.class);

  /// Which policy the labels follow.
  private sealed interface Following {
    /// Not read yet: a node must not lose its labels because nothing is known.
    record Unknown() implements Following {}

    /// @param moves empty before the first plan of who provides what, when nodes stay as they are,
    ///   and with a GPUCluster
    /// @param agents where agents are to run, or still do; empty where none does
    record InForce(NodePolicy policy, Optional<ProviderMoves> moves, Optional<Placement> agents)
        implements Following {}

    /// There is none: what one had brought goes.
    record None(boolean hasAgents) implements Following {}
  }

  private final Caches caches;
  private final Applier applier;
  private final Consumer<String> enqueue;
  private final Runnable labelled;
  private final GpuDetectors detectors;
  private final HostDrivers hostDrivers;
  private final LeftPauses pauses;
  private final InstantSource clock;
  private final Contention contention;
  private final Map<String, String> due = new ConcurrentHashMap<>();
  private final AtomicReference<Following> following =
      new AtomicReference<>(new Following.Unknown());

  private final AtomicReference<Optional<DriverOwners>> drivers =
      new AtomicReference<>(Optional.empty());

  /// Labels through `applier`.
  ///
  /// @param enqueue hands a node to the workers, by name
  /// @param labelled run when all nodes have their labels
  /// @param detectors knows on which nodes a GPU was detected
  /// @param hostDrivers knows which driver nodes have
  /// @param pauses knows who else would end a pause
  NodeReconciler(
      Caches caches,
      Applier applier,
      Consumer<String> enqueue,
      Runnable labelled,
      GpuDetectors detectors,
      HostDrivers hostDrivers,
      LeftPauses pauses,
      InstantSource clock) {
    this.clock = clock;
    this.contention = new Contention(clock);
    this.detectors = detectors;
    this.hostDrivers = hostDrivers;
    this.pauses = pauses;
    this.caches = caches;
    this.applier = applier;
    this.enqueue = enqueue;
    this.labelled = labelled;
  }

  /// Has a node looked at, by name.
  void wake(String name) {
    if (caches.nodes().get("", name).filter(node -> !change(facts(node)).isEmpty()).isPresent()) {
      due.putIfAbsent(name, "");
    }
    enqueue.accept(name);
  }

  /// Nodes that have not been seen with all their labels yet, by name, and what keeps them from it,
  /// or an empty text.
  SortedMap<String, String> due() {
    return new TreeMap<>(due);
  }

  /// Takes up the policy in force.
  ///
  /// @param agents where agents are to run, or still do; elsewhere what they marked nodes with goes
  void follow(ClusterPolicySpec spec, ProviderMoves moves, Optional<Placement> agents) {
    follow(new Following.InForce(NodePolicies.of(spec), Optional.of(moves), agents));
  }

  /// Takes up a GPUCluster.
  void followGpuCluster() {
    follow(new Following.InForce(NodePolicies.OF_GPU_CLUSTER, Optional.empty(), Optional.empty()));
  }

  /// Takes the labels away that a policy had brought.
  ///
  /// @param hasAgents whether agents still run
  void followNone(boolean hasAgents) {
    follow(new Following.None(hasAgents));
  }

  private void follow(Following next) {
    if (!next.equals(following.getAndSet(next))) {
      hostDrivers.watchWhile(
          next instanceof Following.InForce(NodePolicy policy, _, Optional<Placement> agents)
              && agents.isPresent()
              && policy.wantsDrivers());
      wakeAll();
    }
  }

  /// Has all nodes looked at.
  void wakeAll() {
    caches.nodes().stream().map(node -> node.getMetadata().getName()).forEach(this::wake);
  }

  /// Has those looked at whose operands a driver manager has paused: it may have been the last.
  void wakePaused() {
    caches.nodes().stream()
        .filter(LeftPauses::isPaused)
        .map(node -> node.getMetadata().getName())
        .forEach(this::wake);
  }

  /// Takes up the NVIDIADrivers as they are now.
  void followDrivers(DriverOwners owners) {
    var next = Optional.of(owners);
    if (!next.equals(drivers.getAndSet(next))) {
      wakeAll();
    }
  }

  /// Takes up a policy that cannot be carried out, but only if none was in force before: what runs
  /// stays where it is.
  void followUnlessFollowing(ClusterPolicySpec spec) {
    if (!(following.get() instanceof Following.InForce)) {
      follow(
          new Following.InForce(
              NodePolicies.of(spec), Optional.empty(), Optional.of(Placement.ANYWHERE)));
    }
  }

  Outcome reconcile(String name) {
    return caches.nodes().get("", name).map(this::label).orElseGet(() -> done(name));
  }

  /// Writes what differs. The change will then be seen in the cache, and looked at again.
  private Outcome label(Node node) {
    String name = node.getMetadata().getName();
    boolean isLeft = pauses.areOn(node);
    boolean isManaged = isLeft && pauses.isManagerOn(node);
    NodeFacts facts = facts(node).withPauseLeft(isLeft && !isManaged);
    NodeChange change = change(facts);
    change.warnings().forEach(log::warn);
    hostDrivers.publish(name, decision(facts));
    if (change.isEmpty()) {
      Outcome done = done(name);
      return unmark(node, isManaged ? untilManagerHasEnded() : done);
    }
    due.putIfAbsent(name, "");
    ObjectKey key = ObjectKey.of(node);
    Object content = List.of(node.getMetadata().getUid(), change.labels(), change.annotations());
    Optional<Instant> held = contention.heldUntil(key, content);
    if (held.isPresent()) {
      String message =
          "contested: another writer keeps changing labels that the operator sets, %s: `kubectl get node %s -o yaml --show-managed-fields` shows which"
              .formatted(change.labels().keySet(), name);
      due.put(name, message);
      return Outcome.wait(Duration.between(clock.instant(), held.get()), message);
    }
    return switch (applier.patchMetadata(node, change.labels(), change.annotations())) {
      case ApplyResult.Applied(String resourceVersion) -> {
        contention.wrote(key, content, resourceVersion);
        yield Outcome.done();
      }
      case ApplyResult.Unchanged _ -> Outcome.done();
      case ApplyResult.Refused(String message) -> {
        log.warn("the API server refused the labels of node {}: {}", name, message);
        due.put(name, "refused: " + message);
        yield Outcome.wait(ObjectApply.RETRY_REFUSED, message);
      }
    };
  }

  private static Outcome untilManagerHasEnded() {
    return Outcome.wait(
        LeftPauses.UNTIL_MANAGER_HAS_ENDED, "the driver manager that paused operands is ending");
  }

  private Outcome unmark(Node node, Outcome otherwise) {
    Optional<String> refusal =
        switch (following.get()) {
          case Following.InForce(_, _, Optional<Placement> agents)
              when agents.filter(it -> mayHaveAgent(it, node)).isEmpty() ->
              AgentTraces.remove(applier, node);
          case Following.None(boolean hasAgents) when !hasAgents ->
              AgentTraces.removeAll(applier, node);
          case Following.Unknown _, Following.InForce _, Following.None _ -> Optional.empty();
        };
    return refusal.map(NodeReconciler::refused).orElse(otherwise);
  }

  private static Outcome refused(String message) {
    log.warn("the API server refused to remove what an agent left: {}", message);
    return Outcome.wait(ObjectApply.RETRY_REFUSED, message);
  }

  private Outcome done(String name) {
    if (due.remove(name) != null && due.isEmpty()) {
      labelled.run();
    }
    return Outcome.done();
  }

  private NodeChange change(NodeFacts node) {
    return switch (following.get()) {
      case Following.Unknown _ -> NodeChange.NONE;
      case Following.InForce(NodePolicy policy, Optional<ProviderMoves> moves, _) -> {
        NodeChange change = NodePlan.plan(node, policy.with(drivers.get()));
        yield moves.map(it -> it.in(change, node)).orElse(change);
      }
      case Following.None _ -> NodePlan.cleanup(node, drivers.get());
    };
  }

  /// One that has lost its GPUs has none.
  private static boolean mayHaveAgent(Placement agents, Node node) {
    Map<String, String> labels =
        Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
    return agents.allows(node.getMetadata().getName(), labels)
        && !"false".equals(labels.get(NodeLabels.GPU_PRESENT));
  }

  private NodeFacts facts(Node live) {
    NodeFacts node = NodeFacts.of(live);
    return node.with(hostDrivers.report(node.name(), node.uid()))
        .withGpuReported(detectors.haveFoundGpuOn(node.name()));
  }

  private DriverDecision decision(NodeFacts node) {
    return switch (following.get()) {
      case Following.Unknown _ -> new DriverDecision.Undecided();
      case Following.InForce(NodePolicy policy, _, _) ->
          NodePlan.decision(node, policy.with(drivers.get()));
      case Following.None _ -> new DriverDecision.Install();
    };
  }
}
