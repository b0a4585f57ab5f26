package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.GateRow.ALL;
import static dev.pitcrew.operator.upgrade.GateRow.ONE;
import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.asks;
import static dev.pitcrew.operator.upgrade.Given.done;
import static dev.pitcrew.operator.upgrade.Given.failed;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.Given.underWay;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How many nodes `a`, `b`, ... that want the new driver begin at the same time, and what the
/// others report.
class BudgetTest {
  @ParameterizedTest
  @MethodSource("budgets")
  void budget_decidesWhichNodesBegin(GateRow row) {
    row.verify();
  }

  static Stream<GateRow> budgets() {
    return Stream.of(
        new GateRow(
            "one at a time",
            ONE,
            "",
            List.of(asks("b"), asks("a")),
            "a",
            "1 of at most 1 nodes are under way"),
        new GateRow("any number", ALL, "", List.of(asks("a"), asks("b"), asks("c")), "a, b, c", ""),
        new GateRow(
            "one is under way",
            ONE,
            "",
            List.of(underWay("a"), asks("b")),
            "",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "one that failed holds no place, and counts as out of service",
            "{autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: 2}",
            "",
            List.of(failed("a"), asks("b"), asks("c")),
            "b",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "two that failed leave no room",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 2}",
            "",
            List.of(failed("a"), failed("b"), asks("c")),
            "",
            "2 of at most 2 nodes are out of service: a (failed), b (failed)"),
        new GateRow(
            "one that is not ready, cordoned by any user, counts once",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 1}",
            "",
            List.of(
                done("a", 1).cordonedByOthers().notReady(),
                asks("b").cordonedByOthers(),
                asks("c")),
            "b",
            "2 of at most 1 nodes are out of service: a (not ready)"),
        new GateRow(
            "one that is not ready does not begin, and holds no place",
            ONE,
            "",
            List.of(asks("a").notReady(), asks("b")),
            "b",
            "node a is not ready: its kubelet is silent since 2026-11-22T07:59:00Z (NodeStatusUnknown)"),
        new GateRow(
            "one that is cordoned and not ready counts once",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 2}",
            "",
            List.of(underWay("a").notReady(), asks("b"), asks("c")),
            "b",
            "2 of at most 2 nodes are out of service"),
        new GateRow(
            "one that is out of service already takes nothing, and goes first",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 1}",
            "",
            List.of(asks("a"), asks("b").cordonedByOthers()),
            "b",
            "1 of at most 1 nodes are out of service"),
        new GateRow(
            "one that is out of service for others goes before one that is in service",
            ONE,
            "",
            List.of(asks("a"), asks("b").cordonedByOthers()),
            "b",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "one that failed and is asked for again goes before one that others cordoned",
            ONE,
            "",
            List.of(asks("a").cordonedByOthers(), asks("b").cordoned()),
            "b",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "of many that are out of service three are named",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 4}",
            "",
            List.of(failed("a"), failed("b"), failed("c"), failed("d"), failed("e"), asks("f")),
            "",
            "5 of at most 4 nodes are out of service: a (failed), b (failed), c (failed) and 2 more"),
        new GateRow(
            "what is given back counts only once it was seen",
            ONE,
            "",
            List.of(
                node("a").in(UpgradeState.UNCORDON_REQUIRED).cordoned().newDriver(Start.READY),
                asks("b")),
            "",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "a label that is gone, and our cordon",
            ONE,
            "",
            List.of(node("a").newDriver(Start.READY).cordoned().notValidated(), asks("b")),
            "",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "one that is uncordoned already is in service, though its label is not written",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 1}",
            "",
            List.of(node("a").in(UpgradeState.UNCORDON_REQUIRED).newDriver(Start.READY), asks("b")),
            "b",
            ""));
  }

  @ParameterizedTest
  @CsvSource({
    "0, ''",
    "1, ': n-0 (failed)'",
    "3, ': n-0 (failed), n-1 (failed), n-2 (failed)'",
    "4, ': n-0 (failed), n-1 (failed), n-2 (failed) and 1 more'",
    "9, ': n-0 (failed), n-1 (failed), n-2 (failed) and 6 more'"
  })
  void threeOfTheNodesThatAreOutOfServiceAreNamedAndTheOthersCounted(int down, String names) {
    List<String> idle = IntStream.range(0, down).mapToObj("n-%d (failed)"::formatted).toList();

    assertThat(new Budget(9, 0, down, down, idle).hold(asks("a").observed()))
        .hasValueSatisfying(it ->
            assertThat(it.why())
                .isEqualTo(
                    "%d of at most %d nodes are out of service%s".formatted(down, down, names)));
  }

  @ParameterizedTest
  @CsvSource({"5, 2, 10, 4, 3", "9, 2, 5, 4, 1", "2, 2, 9, 0, 0", "1, 3, 9, 0, 0", "9, 0, 2, 5, 0"})
  void asManyNodesMayBeginAsBothLimitsAllow(
      int parallel, int underWay, int unavailable, int down, int available) {
    assertThat(new Budget(parallel, underWay, unavailable, down, List.of()).available())
        .isEqualTo(available);
  }

  @Test
  void aPlanSaysHowManyMoreNodesMayBegin() {
    UpgradePlan plan =
        UpgradePlan.of(
            new FleetView(
                List.of(asks("a").observed(), done("b", 1).observed(), done("c", 1).observed()),
                Rules.policy("{autoUpgrade: true, maxParallelUpgrades: 3, maxUnavailable: 100%}"),
                Rules.rollout(""),
                Obstacles.NONE,
                NOW));

    assertThat(plan.available()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "waitForCompletion: {podSelector: 'job in ('} | upgradePolicy.waitForCompletion.podSelector: ",
        "drain: {podSelector: 'app=('} | upgradePolicy.drain.podSelector: ",
      })
  void aSelectorThatCannotBeReadIsNamed(String section, String problem) {
    UpgradePolicySpec policy = Rules.policy("{autoUpgrade: true, " + section + "}");

    assertThat(new UpgradeScope("", policy).problem())
        .hasValueSatisfying(it -> assertThat(it).startsWith(problem));
  }

  @Test
  void aSelectorSelectsAndOneThatCannotBeReadIsNone() {
    assertThat(PodSelectors.read("job=yes"))
        .hasValueSatisfying(it -> {
          assertThat(it.selects(Map.of("job", "yes"))).isTrue();
          assertThat(it.selects(Map.of("job", "no"))).isFalse();
        });
    assertThat(PodSelectors.read("job in (")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "driver: {upgradePolicy: {autoUpgrade: true, maxParallelUpgrades: 7}} | 7",
        "driver: {upgradePolicy: {autoUpgrade: false}} | none",
        "{sandboxWorkloads: {enabled: true}, driver: {upgradePolicy: {autoUpgrade: true}}} | none",
      })
  void aClusterPolicyUpgradesItsNodesUnlessSandboxWorkloadsAreOn(String policy, String parallel) {
    List<UpgradeScope> scopes = UpgradeScope.of(Policies.from(policy));

    assertThat(
            scopes.stream()
                .map(it -> it.owner() + it.policy().maxParallelUpgradesOrDefault())
                .findFirst()
                .orElse("none"))
        .isEqualTo(parallel);
  }

  @ParameterizedTest
  @CsvSource({"'', '', true", "'', x, true", "x, x, true", "x, y, false", "x, '', false"})
  void theNodesOfAnOwnerAreThoseWithItsLabel(String owner, String label, boolean isIncluded) {
    Map<String, String> labels =
        label.isEmpty() ? Map.of() : Map.of("nvidia.com/gpu-operator.driver.owner", label);

    assertThat(new UpgradeScope(owner, Rules.policy("{autoUpgrade: true}")).includes(labels))
        .isEqualTo(isIncluded);
  }

  @ParameterizedTest
  @CsvSource({
    "25%,   4, 1",
    "25%,   5, 2", // a share is rounded up, as the reference does
    "25%,   1, 1",
    "0%,    9, 0",
    "100%,  9, 9",
    "3,     9, 3",
    "400%,  9, 36",
    "999999%, 9, 90000"
  })
  void aShareOfTheNodes(String text, int nodes, int most) {
    assertThat(Budget.most(new IntOrString.Text(text), nodes)).isEqualTo(most);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "many", "25 %", "-5%", "%", "", "99999999999%", "2.5%"})
  void shareThatIsNotANumber_stopsAllStarts_andIsNamedInTheReason(String text) {
    UpgradePolicySpec policy =
        Rules.policy("{autoUpgrade: true, maxUnavailable: '%s'}".formatted(text));

    assertThat(Budget.most(new IntOrString.Text(text), 9)).isZero();
    assertThat(new UpgradeScope("", policy).problem())
        .hasValueSatisfying(
            it -> assertThat(it).startsWith("upgradePolicy.maxUnavailable is \"" + text + "\": "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "3", "'3'", "'0%'", "'25%'", "'100%'"})
  void numbersAndSharesAreRead(String value) {
    UpgradePolicySpec policy = Rules.policy("{autoUpgrade: true, maxUnavailable: " + value + "}");

    assertThat(new UpgradeScope("", policy).problem()).isEmpty();
  }

  /// Else another would begin before its cordon is removed, or though that was refused.
  @ParameterizedTest
  @CsvSource({"1, 1, ''", "1, 2, a", "2, 2, ''", "0, 1, a"})
  void nodesThatLeaveTheFleetUnderOurCordonCountUntilItIsUndone(
      int leaving, int unavailable, String begin) {
    var obstacles =
        new Obstacles(
            Optional.empty(),
            Map.of(),
            IntStream.range(0, leaving).mapToObj(it -> "gone-" + it).toList());
    UpgradePlan plan =
        UpgradePlan.of(
            new FleetView(
                List.of(asks("a").observed(), asks("b").observed()),
                Rules.policy(
                    "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: %d}"
                        .formatted(unavailable)),
                Rules.rollout(""),
                obstacles,
                NOW));

    assertThat(
            plan.nodes().stream()
                .filter(it -> it.after().state().isUnderWay())
                .map(NodeUpgrade::node)
                .toList())
        .isEqualTo(begin.isEmpty() ? List.of() : List.of(begin));
    assertThat(plan.nodes())
        .filteredOn(it -> leaving > 0 && it.after().state() == UPGRADE_REQUIRED)
        .allSatisfy(it -> assertThat(it.waiting().blocker()).contains("gone-0 (being given back)"));
  }
}
