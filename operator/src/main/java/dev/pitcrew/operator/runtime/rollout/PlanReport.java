package dev.pitcrew.operator.runtime.rollout;

import dev.pitcrew.api.IntOrString;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Drivers;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Fleet;
import dev.pitcrew.operator.upgrade.Forecast;
import dev.pitcrew.operator.upgrade.Forecast.Expected;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A forecast in words, for people and, field by field, for programs.
///
/// @param limits how many nodes at once, as the policy says
record PlanReport(
    String source, int nodes, String limits, int batches, List<Row> plan, List<String> notes) {

  /// One node.
  ///
  /// @param batch with which others it begins, from 1; 0 for under way, -1 for not at all
  /// @param state value of the label `nvidia.com/gpu-driver-upgrade-state`
  /// @param notBefore when it may begin at the earliest, in RFC 3339; empty for at once, or never
  /// @param waitsFor why it does not begin at once
  /// @param heldUpBy what would keep its pods from leaving
  record Row(
      String node,
      int batch,
      String group,
      String driver,
      String wanted,
      String state,
      String notBefore,
      String waitsFor,
      String heldUpBy) {}

  static PlanReport of(Fleet fleet, Forecast forecast, String wanted) {
    Instant now = fleet.view().now();
    List<Row> rows =
        forecast.nodes().stream().map(it -> row(it, fleet.drivers(), wanted, now)).toList();
    var policy = fleet.view().policy();
    var limits =
        "at most %s under way (maxParallelUpgrades) and %s out of service (maxUnavailable)"
            .formatted(
                policy.maxParallelUpgradesOrDefault() <= 0
                    ? "any number"
                    : policy.maxParallelUpgradesOrDefault(),
                words(policy.maxUnavailableOrDefault()));
    return new PlanReport(
        fleet.source(),
        fleet.view().nodes().size(),
        limits,
        forecast.batches(),
        rows,
        notes(fleet, forecast, rows));
  }

  String table() {
    var text = new StringBuilder();
    text.append(
        "%s: %d nodes with a driver, %d of them in this roll-out; %s\n"
            .formatted(source, nodes, plan.size(), limits));
    if (!plan.isEmpty()) {
      text.append(
          new TextTable(
                  List.of(
                      "BATCH",
                      "NODE",
                      "GROUP",
                      "DRIVER",
                      "WANTED",
                      "STATE",
                      "NOT BEFORE",
                      "WAITS FOR"),
                  plan.stream().map(PlanReport::cells).toList())
              .text());
    }
    plan.stream()
        .filter(row -> !row.heldUpBy().isEmpty())
        .forEach(
            row -> text.append("held up: node %s: %s\n".formatted(row.node(), row.heldUpBy())));
    notes.forEach(note -> text.append(note).append('\n'));
    return text.toString();
  }

  private static List<String> cells(Row row) {
    return List.of(
        row.batch() < 0 ? "never" : row.batch() == 0 ? "now" : Integer.toString(row.batch()),
        row.node(),
        row.group(),
        row.driver(),
        row.wanted(),
        row.state(),
        row.notBefore(),
        row.waitsFor());
  }

  private static Row row(
      Expected expected, Map<String, Drivers> drivers, String wanted, Instant now) {
    String name = expected.node().name();
    Drivers has = drivers.getOrDefault(name, new Drivers("", ""));
    return new Row(
        name,
        expected.batch().orElse(-1),
        expected.group(),
        has.present(),
        wanted.isEmpty() ? has.wanted() : wanted,
        expected.node().state().label(),
        expected
            .at()
            .filter(now::isBefore)
            .map(it -> it.truncatedTo(ChronoUnit.SECONDS).toString())
            .orElse(""),
        expected.waiting().blocker(),
        expected.heldUpBy().orElse(""));
  }

  private static List<String> notes(Fleet fleet, Forecast forecast, List<Row> rows) {
    var notes = new ArrayList<String>();
    fleet
        .observation()
        .refusal()
        .ifPresent(why -> notes.add("%s is not carried out: %s".formatted(fleet.source(), why)));
    forecast.halt().ifPresent(why -> notes.add("The roll-out is halted: " + why));
    long never = rows.stream().filter(row -> row.batch() < 0).count();
    long heldUp = rows.stream().filter(row -> !row.heldUpBy().isEmpty()).count();
    notes.add(
        "%d nodes in %d batches; %d would not begin; the pods of %d would not leave. Nothing was changed."
            .formatted(rows.size() - never, forecast.batches(), never, heldUp));
    return notes;
  }

  private static String words(IntOrString value) {
    return switch (value) {
      case IntOrString.Whole(long number) -> Long.toString(number);
      case IntOrString.Text(String text) -> text;
    };
  }
}
