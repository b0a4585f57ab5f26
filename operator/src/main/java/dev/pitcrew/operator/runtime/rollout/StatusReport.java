package dev.pitcrew.operator.runtime.rollout;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.RolloutPhase;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.core.rollout.RolloutEnd;
import dev.pitcrew.core.rollout.RolloutWords;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Drivers;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Fleet;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradePlan;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Waiting;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How far the nodes of one policy are.
///
/// @param end whether the roll-out is over, and how
/// @param halt why no further node begins, if it is halted
/// @param refusal why the operator does not carry the policy out, if it does not
/// @param isObserved whether the operator has looked at the policy as it is now
record StatusReport(
    String source,
    List<Row> nodes,
    RolloutEnd end,
    String halt,
    String refusal,
    boolean isObserved) {

  /// One node; empty texts for what there is not.
  record Row(
      String node,
      String state,
      String phase,
      String driver,
      String wanted,
      String since,
      String deadline,
      String blocker,
      String next) {}

  static StatusReport of(Fleet fleet) {
    UpgradePlan plan = UpgradePlan.of(fleet.view());
    List<Row> rows = plan.nodes().stream().map(node -> row(node, fleet)).toList();
    return new StatusReport(
        fleet.source(),
        rows,
        fleet.observation().isObserved()
            ? end(plan, fleet.observation().refusal())
            : RolloutEnd.NONE,
        plan.halt().orElse(""),
        fleet.observation().refusal().orElse(""),
        fleet.observation().isObserved());
  }

  String table() {
    return summary()
        + "\n"
        + new TextTable(
                List.of(
                    "NODE",
                    "PHASE",
                    "STATE",
                    "DRIVER",
                    "WANTED",
                    "SINCE",
                    "DEADLINE",
                    "BLOCKER",
                    "NEXT"),
                nodes.stream()
                    .map(row ->
                        List.of(
                            row.node(),
                            row.phase(),
                            row.state(),
                            row.driver(),
                            row.wanted(),
                            row.since(),
                            row.deadline(),
                            row.blocker(),
                            row.next()))
                    .toList())
            .text();
  }

  /// One line of it all.
  String summary() {
    return RolloutWords.summary(
        source, nodes.stream().map(Row::phase).toList(), halt, refusal, isObserved);
  }

  private static RolloutEnd end(UpgradePlan plan, Optional<String> refusal) {
    return RolloutEnd.of(
        plan.nodes().stream().map(StatusReport::moved).toList(),
        plan.halt().isPresent(),
        refusal.isPresent());
  }

  private static RolloutEnd.Node moved(NodeUpgrade node) {
    UpgradeState before = node.before().state();
    UpgradeState after = node.after().state();
    return new RolloutEnd.Node(
        isDone(node.before()),
        before.isUnderWay() || after.isUnderWay() || after != before,
        after == UpgradeState.FAILED);
  }

  private static boolean isDone(UpgradeNode node) {
    return (node.state() == UpgradeState.DONE || node.state() == UpgradeState.UNKNOWN)
        && isCurrent(node);
  }

  private static boolean isCurrent(UpgradeNode node) {
    return node.driver().filter(driver -> driver.current()).isPresent();
  }

  /// What the operator has written counts, as it knows more; where a node has no GPUNode, or it
  /// says something of another phase, what the plan says.
  private static Row row(NodeUpgrade upgrade, Fleet fleet) {
    UpgradeNode node = upgrade.before();
    Drivers drivers = fleet.drivers().getOrDefault(node.name(), new Drivers("", ""));
    boolean unseen =
        !isDone(node) && !node.state().isUnderWay() && node.state() != UpgradeState.FAILED;
    String phase = text((unseen ? UpgradeState.UPGRADE_REQUIRED : node.state()).phase());
    Optional<RolloutStatus> report =
        Optional.ofNullable(fleet.reports().get(node.name()))
            .filter(it -> text(it.phase()).equals(phase));
    boolean isOfThis = text(upgrade.after().state().phase()).equals(phase);
    Waiting waiting = isOfThis ? upgrade.waiting() : Waiting.NONE;
    return new Row(
        node.name(),
        node.state().label(),
        phase,
        drivers.present(),
        drivers.wanted(),
        node.marks().since().map(StatusReport::seconds).orElse(""),
        report
            .map(it -> orEmpty(it.deadline()))
            .orElseGet(() -> waiting.deadline().map(StatusReport::seconds).orElse("")),
        report.map(it -> orEmpty(it.blocker())).orElseGet(waiting::blocker),
        report.map(it -> orEmpty(it.nextAction())).orElseGet(waiting::next));
  }

  private static String text(RolloutPhase phase) {
    return ApiJson.tree(phase).asText();
  }

  private static String seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String orEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
