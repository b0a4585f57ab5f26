package dev.pitcrew.operator.driver;

import static dev.pitcrew.operator.testing.Drivers.named;
import static dev.pitcrew.operator.testing.Drivers.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.testing.Drivers;
import dev.pitcrew.testbed.junit.Soak;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DriverFleetTest {
  private static final DriverResource DEFAULT = named("default", "{default: true}");
  private static final DriverResource RED = named("red", "{nodeSelector: {team: red}}");
  private static final DriverResource OLD = named("old", "{nodeSelector: {age: old}}");
  private static final NodeFacts PLAIN = node("plain", "ubuntu", "22.04");
  private static final NodeFacts OLD_AND_RED =
      node("both", "ubuntu", "22.04", "team=red", "age=old");

  @Test
  void theDefaultServesWhatNoOtherSelects() {
    var owners = Drivers.fleet(List.of(DEFAULT, RED)).owners();

    assertThat(owners.ownerOf(PLAIN.labels())).contains("default");
    assertThat(owners.ownerOf(Map.of("team", "red"))).contains("red");
  }

  @Test
  void withoutADefaultANodeMayHaveNone() {
    assertThat(Drivers.fleet(List.of(RED)).owners().ownerOf(PLAIN.labels())).isEmpty();
  }

  @Test
  void selectorsThatShareNoNodeAreNoConflict() {
    var fleet = Drivers.fleet(List.of(RED, OLD, DEFAULT), PLAIN);

    assertThat(problems(fleet, RED, OLD, DEFAULT)).isEmpty();
  }

  @Test
  void sharedNode_isReportedOnThoseThatShareIt() {
    var fleet = Drivers.fleet(List.of(RED, OLD, DEFAULT), PLAIN, OLD_AND_RED);

    assertThat(fleet.problem(RED)).isEqualTo(fleet.problem(OLD)).isPresent();
    assertThat(fleet.problem(RED).orElseThrow())
        .isEqualTo(
            new Problem(
                "ConflictingNodeSelector",
                "multiple NVIDIADrivers match the same node both: [old red]"));
    assertThat(fleet.problem(DEFAULT)).isEmpty();
  }

  @Test
  void aSharedNodeStaysWithTheOneThatHasIt() {
    var owners = Drivers.fleet(List.of(RED, OLD)).owners();
    var labels = node("both", "ubuntu", "22.04", "team=red", "age=old", owner("old")).labels();

    assertThat(owners.ownerOf(labels)).contains("old");
    assertThat(owners.ownerOf(OLD_AND_RED.labels())).isEmpty();
  }

  @Test
  void aNodeThatTwoWantToTakeFromAThirdStaysWithThat() {
    var labels = node("both", "ubuntu", "22.04", "team=red", "age=old", owner("default")).labels();

    assertThat(Drivers.fleet(List.of(DEFAULT, RED, OLD)).owners().ownerOf(labels))
        .contains("default");
    assertThat(Drivers.fleet(List.of(RED, OLD)).owners().ownerOf(labels)).isEmpty();
  }

  @Test
  void aNodeOfOneThatIsGoneFindsItsNewOwner() {
    var labels = node("red", "ubuntu", "22.04", "team=red", owner("gone")).labels();

    assertThat(Drivers.fleet(List.of(RED)).owners().ownerOf(labels)).contains("red");
  }

  @Test
  void twoDefaults_areReportedOnBoth_andOnNoOther() {
    var second = named("second", "{default: true}");
    var fleet = Drivers.fleet(List.of(DEFAULT, second, RED), PLAIN);

    assertThat(fleet.problem(DEFAULT).map(Problem::message))
        .contains("multiple default NVIDIADrivers found: [default second]");
    assertThat(fleet.problem(second).map(Problem::reason)).contains("ReconcileFailed");
    assertThat(fleet.problem(RED)).isEmpty();
    assertThat(fleet.owners().ownerOf(PLAIN.labels())).isEmpty();
  }

  @Test
  void mistakeInOneSelector_isReportedThereAlone() {
    var bad = named("bad", "{default: true, nodeSelector: {a: b}}");
    var reserved = named("r", "{nodeSelector: {nvidia.com/gpu-operator.driver.owner: r}}");
    var fleet = Drivers.fleet(List.of(bad, reserved, RED), PLAIN);

    assertThat(fleet.problem(bad).map(Problem::message))
        .contains("default NVIDIADriver \"bad\" cannot use nodeSelector");
    assertThat(fleet.problem(reserved).map(Problem::message))
        .contains(
            "NVIDIADriver \"r\" nodeSelector cannot use reserved label"
                + " \"nvidia.com/gpu-operator.driver.owner\"");
    assertThat(fleet.problem(RED)).isEmpty();
  }

  @Test
  void whoseNameIsNoLabelGetsNoNodeAndStopsNoOther() {
    var longest = named("a".repeat(63), "{default: true}");
    var tooLong = named("a".repeat(64), "{nodeSelector: {team: red}}");
    var fleet = Drivers.fleet(List.of(longest, tooLong), PLAIN);

    assertThat(fleet.problem(tooLong).map(Problem::message).orElseThrow())
        .contains("metadata.name", tooLong.name(), "at most 63 characters");
    assertThat(fleet.problem(longest)).isEmpty();
    assertThat(fleet.owners().ownerOf(Map.of("team", "red"))).contains(longest.name());
  }

  @Test
  void whoseSelectorBecomesInvalidKeepsItsNodes() {
    var bad = named("bad", "{default: true, nodeSelector: {a: b}}");
    var labels = node("n", "ubuntu", "22.04", "team=red", owner("bad")).labels();

    assertThat(Drivers.fleet(List.of(bad, RED)).owners().ownerOf(labels)).contains("bad");
  }

  /// Also prints what a reconcile of all of them costs; a soak repeats it until it is compiled.
  @Test
  void eachOfManyNodesIsDueForItsOwnOfManyDrivers() {
    List<DriverResource> drivers = teams(20);
    NodeFacts[] nodes = nodesOfTeams(5_000, drivers.size());

    int runs = Soak.amount(1, 200);
    Duration least = Duration.ofDays(1);
    for (int run = 0; run < runs; run++) {
      long begin = System.nanoTime();
      var reconcile = Reconcile.of(drivers, nodes);
      least = Collections.min(List.of(least, Duration.ofNanos(System.nanoTime() - begin)));

      assertThat(reconcile.problems()).isEmpty();
      assertThat(reconcile.due()).allSatisfy(it -> assertThat(it).hasSize(125));
      assertThat(reconcile.due().getFirst()).startsWith("n-2500", "n-2520");
      assertThat(reconcile.pools()).allSatisfy(it -> assertThat(it.pools()).hasSize(1));
    }
    System.out.println(
        "20 NVIDIADrivers, 5,000 nodes with 80 labels: a reconcile takes %d ms (target 50)"
            .formatted(least.toMillis()));
  }

  /// Counted in bytes: each comparison of a node with a driver allocates the same, on a machine of
  /// any speed.
  @Test
  void theWorkOfAReconcileGrowsNoFasterThanNodesTimesDrivers() {
    allocatedBy(10, 10); // loads the classes

    long work = allocatedBy(400, 40);
    assertThat(work).isPositive();
    assertThat(allocatedBy(800, 40)).as("with twice the nodes").isLessThan(work * 5 / 2);
    assertThat(allocatedBy(400, 80)).as("with twice the drivers").isLessThan(work * 5 / 2);
  }

  private static long allocatedBy(int nodes, int drivers) {
    List<DriverResource> teams = teams(drivers);
    NodeFacts[] fleet = nodesOfTeams(nodes, drivers);
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    var reconcile = Reconcile.of(teams, fleet);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(reconcile.problems()).isEmpty();
    return allocated;
  }

  /// What a reconcile asks of the fleet.
  private record Reconcile(
      List<DriverPools> pools, List<SortedSet<String>> due, List<Problem> problems) {
    static Reconcile of(List<DriverResource> drivers, NodeFacts... nodes) {
      var fleet = Drivers.fleet(drivers, nodes);
      return new Reconcile(
          drivers.stream()
              .map(driver -> DriverPools.of(driver, fleet.nodes(driver), false))
              .toList(),
          drivers.stream().map(fleet::due).toList(),
          DriverFleetTest.problems(fleet, drivers.toArray(DriverResource[]::new)));
    }
  }

  private static List<DriverResource> teams(int number) {
    return IntStream.range(0, number)
        .mapToObj(team -> named("team-" + team, "{nodeSelector: {team: '%d'}}".formatted(team)))
        .toList();
  }

  /// Each selected by one driver; the first half is labelled as that one's.
  private static NodeFacts[] nodesOfTeams(int number, int teams) {
    return IntStream.range(0, number)
        .mapToObj(node ->
            wideNode(
                "n-%04d".formatted(node),
                "team=" + node % teams,
                node < number / 2 ? owner("team-" + node % teams) : "label=x"))
        .toArray(NodeFacts[]::new);
  }

  /// A node with 80 labels.
  private static NodeFacts wideNode(String name, String... labels) {
    Stream<String> more = IntStream.range(labels.length, 75).mapToObj("label-%d=x"::formatted);
    return node(
        name, "ubuntu", "22.04", Stream.concat(Stream.of(labels), more).toArray(String[]::new));
  }

  private static List<Problem> problems(DriverFleet fleet, DriverResource... drivers) {
    return List.of(drivers).stream().map(fleet::problem).flatMap(Optional::stream).toList();
  }

  private static String owner(String name) {
    return "nvidia.com/gpu-operator.driver.owner=" + name;
  }
}
