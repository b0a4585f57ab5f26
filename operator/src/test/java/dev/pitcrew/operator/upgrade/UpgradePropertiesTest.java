package dev.pitcrew.operator.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/// Whatever happens in whatever order, with the operator killed in between: the budget holds, every
/// node ends, and no cordon of ours is left.
class UpgradePropertiesTest {
  private static final String STATE = "nvidia.com/gpu-driver-upgrade-state";

  /// What the operator does itself.
  private static final Set<Event.Kind> OURS =
      EnumSet.of(
          Event.Kind.PLAN,
          Event.Kind.PLAN_AND_DIE,
          Event.Kind.PLAN_REFUSED,
          Event.Kind.PLAN_BESIDE_STEPS,
          Event.Kind.STEP);

  /// One thing that happens to a fleet.
  record Event(Kind kind, int node, int writes) {
    enum Kind {
      PLAN,
      PLAN_AND_DIE,
      PLAN_REFUSED,
      PLAN_BESIDE_STEPS,
      STEP,
      LIVE,
      CRASH,
      MINUTES,
      NEW_DRIVER,
      FORMER_DRIVER,
      NOT_READY,
      READY,
      REBOOTS,
      REPLACED,
      ANOTHER_POOL,
      ADMIN_CORDONS,
      ADMIN_UNCORDONS,
      LABEL_GOES,
      POD_COMES,
      POD_ENDS,
      BUDGET_REFUSES,
      BUDGET_ALLOWS,
      PODS_TAKE_TIME,
      EVICTED_PODS_END,
      GPU_FAILS,
      GPU_WORKS,
      IMAGE_MISSING,
      IMAGE_THERE,
      HOURS,
      JOINS,
      LEAVES,
      REQUESTED
    }
  }

  @Property(tries = 2000)
  void theBudgetIsNeverExceeded(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    for (Event event : events) {
      int down = fleet.down();
      int underWay = fleet.underWay();
      happens(fleet, event);
      if (OURS.contains(event.kind())) {
        int most = Budget.most(fleet.policy.maxUnavailableOrDefault(), fleet.nodes.size());
        assertThat(fleet.down())
            .as("nodes out of service")
            .isLessThanOrEqualTo(Math.max(down, most));
        long parallel = fleet.policy.maxParallelUpgradesOrDefault();
        assertThat((long) fleet.underWay())
            .as("nodes under way")
            .isLessThanOrEqualTo(parallel == 0 ? Long.MAX_VALUE : Math.max(underWay, parallel));
      }
    }
  }

  @Property(tries = 2000)
  void everyNodeEndsAndOurCordonsGo(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    events.forEach(event -> happens(fleet, event));

    fleet.calmDown();

    for (ModelNode node : fleet.nodes) {
      assertThat(node.labels.get(STATE)).as("%s", node.annotations).isEqualTo("upgrade-done");
      assertThat(node.unschedulable).as(node.name).isEqualTo(node.cordonedByAdmin);
      assertThat(node.annotations.keySet()).allMatch(UpgradeMarks::isLasting);
    }
  }

  /// Those that are under way go on.
  @Property(tries = 1000)
  void noNodeBeginsOutsideOfMaintenanceWindowsOrWithoutAnImage(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    for (Event event : events) {
      var held =
          fleet.nodes.stream()
              .filter(node -> !node.observed(fleet.target).isUnderWay())
              .filter(node -> fleet.isClosed() || (node.imageless && fleet.rollout.isPreflighted()))
              .toList();
      happens(fleet, event);
      if (OURS.contains(event.kind())) {
        assertThat(held)
            .as("nodes that were held back")
            .noneMatch(node -> node.observed(fleet.target).isUnderWay());
      }
    }
  }

  /// Wherever it was when it fell silent; what others may do without it is done.
  @Property(tries = 1000)
  void aNodeThatNeverComesBackHoldsNoPlaceForEver(
      @ForAll("fleets") ModelFleet fleet,
      @ForAll("events") List<Event> events,
      @ForAll Set<@IntRange(max = 5) Integer> silent) {
    var open = fleet.withoutRollout();
    events.forEach(event -> happens(open, event));
    var dead =
        open.nodes.stream()
            .filter(node -> silent.contains(open.nodes.indexOf(node)))
            .collect(Collectors.toSet());

    open.calmDownWithout(dead);

    for (ModelNode node : dead) {
      assertThat(node.observed(open.target).isUnderWay()).as("%s", node.annotations).isFalse();
      assertThat(node.unschedulable)
          .as("%s is cordoned, and has no driver or another owner's cordon", node.name)
          .isEqualTo(
              node.cordonedByAdmin
                  || (node.unschedulable && node.annotations.containsKey(UpgradeMarks.FAILURE)));
    }
  }

  /// Else the scheduler fills the place of each pod that goes.
  @Property(tries = 500)
  void podsGoOnlyFromNodesThatAreCordoned(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    for (Event event : events) {
      happens(fleet, event);
      assertThat(fleet.plan().nodes())
          .filteredOn(upgrade -> !upgrade.effects().isEmpty())
          .allMatch(upgrade -> upgrade.after().unschedulable(), "is cordoned");
    }
  }

  @Property(tries = 1000)
  void aPlanThatWasCarriedOutLeavesNothingToDo(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    events.forEach(event -> happens(fleet, event));

    for (int i = 0; i <= fleet.nodes.size() + 1; i++) {
      fleet.plan().nodes().forEach(upgrade -> fleet.node(upgrade.node()).write(upgrade));
    }

    assertThat(fleet.plan().nodes()).noneMatch(NodeUpgrade::changesNode);
  }

  @Property(tries = 1000)
  void waitingNode_reportsSinceWhenWhatForUntilWhenAndWhatComesNext(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    events.forEach(event -> happens(fleet, event));

    for (NodeUpgrade upgrade : fleet.plan().nodes()) {
      UpgradeState state = upgrade.after().state();
      if (state != UpgradeState.DONE && state != UpgradeState.UNKNOWN) {
        Waiting waiting = upgrade.waiting();
        assertThat(upgrade.after().marks().since()).as("since of %s", upgrade).isPresent();
        assertThat(waiting.blocker()).as("blocker of %s", upgrade).isNotBlank();
        assertThat(waiting.next()).as("next action of %s", upgrade).isNotBlank();
        assertThat(!state.isUnderWay() || waiting.deadline().isPresent())
            .as("deadline of %s", upgrade)
            .isTrue();
      }
    }
  }

  @Property(tries = 500)
  void aPlanIsAFunctionOfWhatIsObserved(
      @ForAll("fleets") ModelFleet fleet, @ForAll("events") List<Event> events) {
    events.forEach(event -> happens(fleet, event));

    assertThat(fleet.plan()).isEqualTo(fleet.plan());
    assertThat(UpgradePlan.of(reversed(fleet.view()))).isEqualTo(fleet.plan());
  }

  private static FleetView reversed(FleetView view) {
    return new FleetView(
        view.nodes().reversed(), view.policy(), view.rollout(), view.obstacles(), view.now());
  }

  private static void happens(ModelFleet fleet, Event event) {
    ModelNode node = fleet.nodes.get(event.node() % fleet.nodes.size());
    switch (event.kind()) {
      case PLAN -> fleet.carryOut(fleet.plan());
      case PLAN_AND_DIE -> fleet.carryOut(fleet.plan(), event.node(), event.writes());
      case PLAN_REFUSED -> fleet.carryOutRefused(fleet.plan(), node);
      case PLAN_BESIDE_STEPS -> fleet.carryOutBesideSteps(fleet.plan());
      case STEP -> fleet.step(node);
      case LIVE -> node.live(fleet.target, Start.READY);
      case CRASH -> node.live(fleet.target, Start.CRASHING);
      case MINUTES -> fleet.now = fleet.now.plus(Duration.ofMinutes(event.writes() * 4L));
      case NEW_DRIVER -> fleet.target = Integer.toString(event.writes());
      case FORMER_DRIVER -> fleet.target = "1";
      case NOT_READY -> node.falls(fleet.now);
      case READY -> node.comesBack(fleet.now);
      case REBOOTS -> node.reboots(fleet.now);
      case REPLACED -> node.isReplaced(fleet.now);
      case ANOTHER_POOL -> node.movesToAnotherPool();
      case ADMIN_CORDONS -> cordon(node);
      case ADMIN_UNCORDONS -> uncordon(node);
      case LABEL_GOES -> node.labels.remove(STATE);
      case POD_COMES -> node.schedule(event.writes());
      case POD_ENDS -> node.pods.clear();
      case BUDGET_REFUSES -> node.pinned = true;
      case BUDGET_ALLOWS -> node.pinned = false;
      case PODS_TAKE_TIME -> node.slow = true;
      case EVICTED_PODS_END -> node.podsEnd();
      case GPU_FAILS -> node.unhealthyReason = Optional.of("GPU 3: Xid 79");
      case GPU_WORKS -> node.unhealthyReason = Optional.empty();
      case IMAGE_MISSING -> node.imageless = true;
      case IMAGE_THERE -> node.imageless = false;
      case HOURS -> fleet.now = fleet.now.plus(Duration.ofHours(event.writes() * 3L));
      case JOINS -> fleet.join();
      case LEAVES -> leave(fleet, node);
      case REQUESTED -> node.annotations.put(UpgradeMarks.REQUESTED, "true");
    }
  }

  private static void leave(ModelFleet fleet, ModelNode node) {
    if (fleet.nodes.size() > 1 && node == fleet.nodes.getLast()) {
      fleet.nodes.remove(node);
    }
  }

  /// No user cordons a node that is cordoned already: the two cordons could not be distinguished.
  private static void cordon(ModelNode node) {
    if (!node.unschedulable && !node.observed("").isUnderWay()) {
      node.unschedulable = true;
      node.cordonedByAdmin = true;
    }
  }

  private static void uncordon(ModelNode node) {
    if (node.cordonedByAdmin && !node.observed("").isUnderWay()) {
      node.unschedulable = false;
      node.cordonedByAdmin = false;
    }
  }

  @Provide
  Arbitrary<ModelFleet> fleets() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 6),
            Arbitraries.of("0", "1", "2", "3"),
            Arbitraries.of("1", "2", "25%", "50%", "100%"),
            Arbitraries.of("false", "true"),
            Arbitraries.of(
                "",
                "{maintenanceWindows: [{start: '09:00', durationMinutes: 90}]}",
                "{preflight: true, haltOnFailedHealth: false}",
                "{canary: {nodes: 1, soakSeconds: 120}}",
                "{waves: [{name: first, nodeSelector: {half: first}, soakSeconds: 120}]}",
                "{paused: false, autoRollback: false}"))
        .as((size, parallel, unavailable, drain, rollout) ->
            new ModelFleet(
                size,
                Rules.policy(
                    "{autoUpgrade: true, maxParallelUpgrades: %s, maxUnavailable: %s, drain: {enable: %s}}"
                        .formatted(parallel, unavailable, drain)),
                Rules.rollout(rollout)));
  }

  @Provide
  Arbitrary<List<Event>> events() {
    return Combinators.combine(
            Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.of(Event.Kind.PLAN, Event.Kind.LIVE)),
                Tuple.of(2, Arbitraries.of(Event.Kind.class))),
            Arbitraries.integers().between(0, 5),
            Arbitraries.integers().between(0, 3))
        .as(Event::new)
        .list()
        .ofMaxSize(60);
  }
}
