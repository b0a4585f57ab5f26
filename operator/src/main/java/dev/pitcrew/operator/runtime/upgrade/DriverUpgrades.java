package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.api.fleetpolicy.FleetRollout;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.metrics.UpgradeCounts;
import dev.pitcrew.operator.runtime.eviction.Evictions;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.operator.runtime.rollback.Rejections;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.PreflightPlan;
import dev.pitcrew.operator.upgrade.RolloutSummary;
import dev.pitcrew.operator.upgrade.RolloutSummary.Planned;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradePlan;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Moves nodes to the driver that is wanted, as far as automatic upgrades are asked for. Each pass
/// reads what is there, plans all nodes again, lets those begin that may, and reports what the
/// others wait for; any change wakes the next. Nodes that have begun continue beside the passes
/// ([NodeSteps]).
public final class DriverUpgrades implements AutoCloseable {
  /// How long to wait at most for caches to be filled; their changes come first.
  private static final Duration UNTIL_KNOWN = Duration.ofSeconds(5);

  /// When changes of a node that keeps its place are planned; a node that has left is planned at
  /// once.
  private static final Duration UNTIL_REPORTED = Duration.ofSeconds(1);

  /// What the operator knows that upgrades read, too.
  ///
  /// @param gpuNodes in which agents report
  /// @param rollout what the FleetPolicy says of roll-outs; throws [UnreadableResource]
  public record Known(
      Cache<Node> nodes,
      Cache<DaemonSet> daemonSets,
      GpuNodes gpuNodes,
      Supplier<RolloutSpec> rollout) {}

  private final Known known;
  private final InstantSource clock;
  private final Counted counted;
  private final UpgradeSources sources;
  private final EvictionAttempts evictions;
  private final FleetReader reader;
  private final UpgradeApply apply;
  private final NodeSteps steps;
  private final Rejections rejections;
  private final Preflights preflights;
  private final Consumer<Duration> wake;
  private final RolloutReports reports;
  private final PlanRateLimiter limiter = new PlanRateLimiter();

  /// Null while it is not known who is upgraded.
  private final AtomicReference<@Nullable List<UpgradeScope>> wanted = new AtomicReference<>();

  /// Watches nothing yet.
  ///
  /// @param counted receives the counts of each pass
  /// @param wake has [#reconcile] run after that time
  public DriverUpgrades(
      KubernetesClient client,
      String namespace,
      Known known,
      Applier applier,
      Events events,
      Evictions evictions,
      InstantSource clock,
      Counted counted,
      Consumer<Duration> wake) {
    this.known = known;
    this.clock = clock;
    this.counted = counted;
    this.wake = wake;
    this.sources =
        new UpgradeSources(
            client,
            namespace,
            known.gpuNodes(),
            this::nodeChanged,
            this::wake,
            pods -> Preflights.follow(applier, pods));
    this.evictions = new EvictionAttempts(evictions, clock, this::nodeChanged);
    this.reports = new RolloutReports(applier, events);
    var writes = new NodeWrites(known.nodes(), applier);
    this.apply = new UpgradeApply(applier, writes, this.evictions, reports);
    this.reader =
        new FleetReader(
            sources,
            writes,
            known.daemonSets(),
            apply.deleted(),
            new GpuClaims(client),
            this.evictions);
    this.steps = new NodeSteps(reader, apply, this::scopes, clock, this::placeFreed);
    this.rejections = new Rejections(client, applier, events);
    this.preflights = new Preflights(known.nodes(), applier, events);
  }

  private List<UpgradeScope> scopes() {
    return Objects.requireNonNullElse(wanted.get(), List.of());
  }

  /// Says whose nodes are upgraded automatically from now on; what upgrades left on all others
  /// goes.
  public void follow(List<UpgradeScope> scopes) {
    List<UpgradeScope> next = List.copyOf(scopes);
    if (!next.equals(wanted.getAndSet(next))) {
      wake();
    }
  }

  /// A node has changed.
  public void nodeChanged(String node) {
    if (reader.isUnderWay(node)) {
      steps.wake(node);
      wake.accept(limiter.leftAtLeast(UNTIL_REPORTED));
    } else {
      wake();
    }
  }

  /// There is a change that may concern all nodes.
  public void wake() {
    wake.accept(limiter.left());
  }

  private void placeFreed() {
    wake.accept(limiter.placeFreed());
  }

  /// One pass over all nodes.
  public Outcome reconcile() {
    @Nullable List<UpgradeScope> scopes = wanted.get();
    if (scopes == null) {
      return Outcome.done();
    }
    if (scopes.isEmpty() && !isAnythingLeft()) {
      sources.close();
      counted.take(false, UpgradeCounts.NONE, FleetRollout.IDLE);
      return Outcome.done();
    }
    Duration rest = limiter.leftForPlaces();
    if (rest.isPositive()) { // the change came while the last plan was made
      return Outcome.wait(rest, "others have their turn");
    }
    UpgradeSources.Open open = sources.open();
    return open.isSynced()
        ? upgrade(scopes, open)
        : Outcome.wait(UNTIL_KNOWN, "driver pods and GPUNodes are being listed");
  }

  /// Ends what is under way beside the passes, and begins no more of it.
  public void rest() {
    WorkQueue.closeTogether(steps::close, evictions::close, reports::close);
  }

  /// What an operator left that was killed between a node and its GPUNode counts, too.
  private boolean isAnythingLeft() {
    return known.nodes().stream().anyMatch(FleetReading::isMarked)
        || known.gpuNodes().stream().map(GpuNodes::status).anyMatch(FleetReading::isReported);
  }

  @Override
  public void close() {
    rest();
    sources.close();
  }

  private Outcome upgrade(List<UpgradeScope> scopes, UpgradeSources.Open open) {
    limiter.begin();
    Instant begun = clock.instant();
    FleetReading reading = reader.all(open);
    var seen = new HashSet<String>();
    List<List<UpgradeNode>> fleets =
        scopes.stream()
            .map(scope -> reading.members(scope, seen, reader.pods(scope.policy())))
            .toList();
    Rollout rollout = Rollout.of(known.rollout());
    List<UpgradeNode> all = fleets.stream().flatMap(List::stream).toList();
    PreflightPlan pulls = rollout.preflight(reading, all, clock.instant());
    Set<UpgradeApply.Result> results = EnumSet.of(preflights.carryOut(pulls, reading));
    PreflightPlan preflight = preflights.explained(pulls);
    List<UpgradeNode> released = released(reading, seen);
    List<String> leaving =
        released.stream().filter(UpgradeNode::isHeldByUs).map(UpgradeNode::name).toList();
    var planned = new ArrayList<Planned>();
    for (int i = 0; i < scopes.size(); i++) {
      planned.add(
          Planned.of(
              rollout.view(scopes.get(i), fleets.get(i), preflight, leaving, clock.instant())));
    }
    List<UpgradePlan> plans = planned.stream().map(Planned::plan).toList();
    counted.take(
        !scopes.isEmpty(),
        UpgradeTally.of(plans),
        RolloutSummary.of(planned, DriverVersions.wanted(reading)));
    limiter.planned();
    watchPods(plans, open);
    steps.goOn(plans, upgrade -> reports.isReported(upgrade, open.reports()));
    results.addAll(apply.carryOut(changes(released, plans), reading, limiter::isPlaceFree));
    for (UpgradePlan plan : plans) {
      boolean isBack = rejections.reject(plan.rollbacks(), known.daemonSets().all());
      results.add(isBack ? UpgradeApply.Result.DONE : UpgradeApply.Result.FAILED);
    }
    tidy(plans, reading);
    if (results.contains(UpgradeApply.Result.PUT_OFF)) {
      wake();
    }
    return next(plans, results, begun);
  }

  /// Nodes that are not upgraded any more, and that an upgrade left something on.
  private List<UpgradeNode> released(FleetReading reading, Set<String> seen) {
    NodePodReading pods = reader.pods(UpgradePolicySpec.ABSENT);
    return reading.nodes().values().stream()
        .filter(node -> !seen.contains(node.getMetadata().getName()))
        .filter(reading::isTouched)
        .map(node -> reading.read(node, pods))
        .toList();
  }

  private static List<NodeUpgrade> changes(List<UpgradeNode> released, List<UpgradePlan> plans) {
    return Stream.concat(
            released.stream().map(UpgradePlan::release),
            plans.stream()
                .flatMap(plan -> plan.nodes().stream())
                .filter(upgrade -> !upgrade.continuesAlone()))
        .toList();
  }

  /// Before the nodes are written: their pods are listed meanwhile.
  private static void watchPods(List<UpgradePlan> plans, UpgradeSources.Open open) {
    open.nodePods()
        .watchOnly(
            plans.stream()
                .flatMap(plan -> plan.nodes().stream())
                .filter(NodeUpgrade::isEmptied)
                .map(NodeUpgrade::node)
                .collect(Collectors.toSet()));
  }

  private void tidy(List<UpgradePlan> plans, FleetReading reading) {
    List<NodeUpgrade> all = plans.stream().flatMap(plan -> plan.nodes().stream()).toList();
    Set<String> pods =
        all.stream()
            .flatMap(upgrade -> FleetReading.uids(upgrade.before()).stream())
            .collect(Collectors.toSet());
    Set<String> names = all.stream().map(NodeUpgrade::node).collect(Collectors.toSet());
    reader.keep(names, pods);
    apply.keep(names);
    reports.keep(names);
    evictions.keep(pods);
    apply.keepDrivers(
        reading.drivers().values().stream()
            .map(pod -> pod.getMetadata().getUid())
            .collect(Collectors.toSet()));
  }

  private Outcome next(List<UpgradePlan> plans, Set<UpgradeApply.Result> results, Instant begun) {
    Instant now = clock.instant();
    return Stream.of(
            plans.stream().flatMap(plan -> plan.wake().stream()),
            evictions.next(begun).stream(),
            results.stream().flatMap(it -> it.again().stream()).map(now::plus))
        .flatMap(Function.identity())
        .min(Comparator.naturalOrder())
        .<Outcome>map(at ->
            Outcome.wait(
                at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO,
                "a deadline of a driver upgrade"))
        .orElseGet(Outcome::done);
  }
}
