package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.FleetStatus;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.util.List;
import java.util.Optional;

/// The fleet on one screen.
public final class StatusPrint {
  private static final int MOST_STEPS = 3;

  private StatusPrint() {}

  /// @param wide with all names, and messages of what is ready too
  public static void print(Screen screen, FleetStatus status, boolean wide) {
    if (status.policies().isEmpty()) {
      screen.paragraph(
          "Policy    ", Style.BAD, "none: there is no ClusterPolicy, so nothing is managed");
    }
    for (FleetStatus.PolicyState policy : status.policies()) {
      screen.paragraph(
          "Policy    ",
          policy.ready() ? Style.PLAIN : Style.BAD,
          "%s %s, %s%s"
              .formatted(
                  policy.name(),
                  policy.ready() ? "ready" : "not ready",
                  policy.reason(),
                  policy.ready() && !wide ? "" : ": " + policy.message()));
    }
    nodes(screen, status.nodes());
    gpus(screen, status.gpus());
    rollOut(screen, status.rollout(), wide);
    if (!status.nodes().notReady().isEmpty()) {
      screen.line();
      groups(screen, status.nodes().notReady());
    }
    if (!status.next().isEmpty()) {
      screen.line();
      screen.list("Next      ", Style.BOLD, status.next());
    }
  }

  private static void nodes(Screen screen, FleetStatus.Nodes nodes) {
    int bad = nodes.total() - nodes.ready();
    screen.paragraph(
        "Nodes     ",
        bad == 0 ? Style.PLAIN : Style.BAD,
        nodes.total() == 0
            ? "none has a GPU yet: no agent has reported one"
            : "%d with GPUs: %d ready, %d not ready".formatted(nodes.total(), nodes.ready(), bad));
  }

  private static void gpus(Screen screen, FleetStatus.Gpus gpus) {
    screen.paragraph(
        "GPUs      ",
        Style.PLAIN,
        "%d: %s in use, %s free, %d unhealthy%s%s"
            .formatted(
                gpus.total(),
                number(gpus.inUse()),
                number(gpus.free()),
                gpus.unhealthy(),
                gpus.shared() == 0
                    ? ""
                    : ", %d divided, shared or for claims (kubectl gpu nodes)"
                        .formatted(gpus.shared()),
                gpus.inUse().isPresent()
                    ? ""
                    : " (your rights do not allow to list the pods of all namespaces)"));
  }

  private static String number(Optional<Long> number) {
    return number.map(String::valueOf).orElse("?");
  }

  private static void rollOut(Screen screen, FleetStatus.RollOut rollout, boolean wide) {
    if (rollout.isOver()) {
      return;
    }
    int most = wide ? Integer.MAX_VALUE : MOST_STEPS;
    List<String> steps = rollout.underWay().stream().limit(most).toList();
    int more = rollout.underWay().size() - steps.size();
    screen.paragraph(
        "Roll-out  ",
        rollout.failed().isEmpty() ? Style.PLAIN : Style.BAD,
        "%d under way%s%s, %d wait, %d failed%s"
            .formatted(
                rollout.underWay().size(),
                steps.isEmpty() ? "" : ": " + String.join(", ", steps),
                more == 0 ? "" : " and %d more".formatted(more),
                rollout.pending(),
                rollout.failed().size(),
                rollout.failed().isEmpty()
                    ? ""
                    : ": " + String.join(", ", rollout.failed().stream().limit(most).toList())));
  }

  private static void groups(Screen screen, List<FleetStatus.Group> groups) {
    new Table(
            List.of(
                new Column("NODES", 0, false),
                new Column("REASON", 0, true),
                new Column("SUCH AS", 1, true),
                new Column("MESSAGE", 2, true)),
            groups.stream()
                .map(it ->
                    List.of(
                        Cell.of(String.valueOf(it.nodes())),
                        new Cell(it.reason(), Style.BAD),
                        Cell.of(String.join(",", it.examples())),
                        Cell.of(it.message())))
                .toList())
        .print(screen);
  }
}
