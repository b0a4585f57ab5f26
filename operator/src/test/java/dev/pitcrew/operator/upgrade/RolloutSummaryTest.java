package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.GateRow.ALL;
import static dev.pitcrew.operator.upgrade.GateRow.ONE;
import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.asks;
import static dev.pitcrew.operator.upgrade.Given.done;
import static dev.pitcrew.operator.upgrade.Given.failed;
import static dev.pitcrew.operator.upgrade.Given.joined;
import static dev.pitcrew.operator.upgrade.Given.underWay;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.fleetpolicy.FleetRollout;
import dev.pitcrew.api.fleetpolicy.RolloutBlocker;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import dev.pitcrew.operator.upgrade.RolloutSummary.Planned;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the status of the FleetPolicy says of roll-outs.
class RolloutSummaryTest {
  private static final int LARGEST = 8_192;
  private static final String WAVES =
      "{waves: [{name: staging, nodeSelector: {env: staging}}, {name: prod, nodeSelector: {env: prod}}]}";

  /// @param expected phase, done, under way, waiting, failed, and the wave
  record Row(String title, String policy, String rollout, List<Given> nodes, String expected) {
    @Override
    public String toString() {
      return title;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row("all have it", ALL, "", List.of(joined("a"), done("b", 9)), "Done 2 0 0 0 "),
        new Row(
            "one at a time", ONE, "", List.of(asks("a"), asks("b"), joined("c")), "Wave 1 1 1 0 "),
        new Row(
            "one failed and the rest is done",
            ALL,
            "{paused: false}",
            List.of(failed("a"), joined("b")),
            "Failed 1 0 0 1 "),
        new Row(
            "one failed, so that the rest waits",
            ALL,
            "{paused: false}",
            List.of(failed("a"), asks("b")),
            "Halted 0 0 1 1 "),
        new Row(
            "paused", ALL, "{paused: true}", List.of(joined("a"), asks("b")), "Paused 1 0 1 0 "),
        new Row(
            "the canary is under way",
            ALL,
            "{canary: {nodes: 1}}",
            List.of(underWay("a"), asks("b")),
            "Canary 0 1 1 0 "),
        new Row(
            "the second wave",
            ONE,
            WAVES,
            List.of(
                done("a", 90).labelled("env", "staging"),
                underWay("b").labelled("env", "prod"),
                asks("c")),
            "Wave 1 1 1 0 prod"),
        new Row(
            "rolled back",
            ALL,
            "{paused: false}",
            List.of(asks("a").taken(new Rollback("2", "1", "it crashed")), joined("b")),
            "RolledBack 1 0 1 0 "));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void thePhaseIsThatOfAllNodes(Row row) {
    FleetRollout rollout = summary(row.policy(), row.rollout(), row.nodes());

    assertThat(
            "%s %d %d %d %d %s"
                .formatted(
                    ApiJson.tree(rollout.phase()).asText(),
                    rollout.done(),
                    rollout.underWay(),
                    rollout.waiting(),
                    rollout.failed(),
                    rollout.wave() == null ? "" : rollout.wave()))
        .isEqualTo(row.expected());
  }

  @Test
  void withoutUpgrades_nothingIsGoingOn() {
    assertThat(RolloutSummary.of(List.of(), Collections.emptySortedSet()))
        .isEqualTo(FleetRollout.IDLE);
  }

  @Test
  void failedNodesComeFirst_andOfManyTen() {
    String words = "pod team/train holds a GPU ".repeat(1_000);
    List<Given> nodes =
        Stream.concat(
                IntStream.range(0, 100)
                    .mapToObj(i ->
                        Given.node("b%03d".formatted(i))
                            .in(UpgradeState.POD_RESTART_REQUIRED)
                            .cordoned()
                            .newDriver(Start.STARTING)
                            .managerSays(words)),
                Stream.of(failed("z")))
            .toList();

    FleetRollout rollout = summary(ALL, "{paused: false}", nodes);

    assertThat(rollout.blockers())
        .extracting(RolloutBlocker::node)
        .startsWith("z", "b000")
        .hasSize(10);
    assertThat(rollout.blockers().getLast().blocker()).hasSize(256).endsWith("…");
    assertThat(rollout.underWay()).isEqualTo(100);
    assertThat(ApiJson.write(rollout)).hasSizeLessThan(LARGEST);
  }

  @Test
  void ofManyVersionsThreeAreNamed() {
    var versions =
        new TreeSet<>(IntStream.range(0, 50).mapToObj(i -> "580.%02d".formatted(i)).toList());

    assertThat(
            RolloutSummary.of(List.of(planned(ALL, "", List.of(joined("a")))), versions).version())
        .isEqualTo("580.00, 580.01, 580.02 and 47 more");
  }

  private static FleetRollout summary(String policy, String rollout, List<Given> nodes) {
    return RolloutSummary.of(
        List.of(planned(policy, rollout, nodes)), new TreeSet<>(List.of("600.1")));
  }

  private static Planned planned(String policy, String rollout, List<Given> nodes) {
    return Planned.of(
        new FleetView(
            nodes.stream().map(Given::observed).toList(),
            Rules.policy(policy),
            Rules.rollout(rollout),
            Obstacles.NONE,
            NOW));
  }
}
