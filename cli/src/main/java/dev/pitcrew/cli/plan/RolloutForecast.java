package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.transport.Json;
import java.util.List;

/// What a roll-out would do, as the operator's own program says it (`pitcrew rollout plan -o
/// json`).
///
/// @param nodes how many have a driver
/// @param limits how many nodes at once, in words
/// @param notes in words, such as why it is halted
public record RolloutForecast(
    String source, long nodes, String limits, long batches, List<Row> plan, List<String> notes) {

  /// One node.
  ///
  /// @param batch with which others it begins, from 1; 0 for under way, -1 for not at all
  public record Row(
      String node,
      long batch,
      String group,
      String driver,
      String wanted,
      String state,
      String notBefore,
      String waitsFor,
      String heldUpBy) {}

  public static RolloutForecast of(Json report) {
    return new RolloutForecast(
        report.at("source").text(),
        report.at("nodes").number(),
        report.at("limits").text(),
        report.at("batches").number(),
        report.at("plan").items().stream().map(RolloutForecast::row).toList(),
        report.at("notes").texts());
  }

  private static Row row(Json row) {
    return new Row(
        row.at("node").text(),
        row.at("batch").number(),
        row.at("group").text(),
        row.at("driver").text(),
        row.at("wanted").text(),
        row.at("state").text(),
        row.at("notBefore").text(),
        row.at("waitsFor").text(),
        row.at("heldUpBy").text());
  }

  public String summary() {
    return "%s: %d nodes with a driver, %d of them in this roll-out; %s"
        .formatted(source, nodes, plan.size(), limits);
  }
}
