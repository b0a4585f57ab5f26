package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.DriverSource;
import dev.pitcrew.cli.cluster.RolloutReading;
import dev.pitcrew.cli.plan.RolloutReport;
import dev.pitcrew.cli.plan.RolloutReport.Row;
import dev.pitcrew.cli.print.Documents;
import dev.pitcrew.cli.print.RolloutPrint;
import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.Style;
import dev.pitcrew.cli.transport.RefusedException;
import dev.pitcrew.core.rollout.RolloutEnd;
import dev.pitcrew.core.rollout.RolloutWords;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Shows how far the nodes are, and what each waits for.",
      "Exit code 1 says that the roll-out is halted, or that nodes failed and none is under way."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu rollout status",
      "  kubectl gpu rollout status -o wide    # all nodes, with versions and what happens next",
      "  kubectl gpu rollout status -w         # prints each change, until it is over"
    })
final class RolloutStatusCommand extends ReadingCommand {
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private static final String LEFT =
      "Watching ends here, the roll-out goes on. To pause it: kubectl gpu rollout pause";

  @Option(
      names = {"-w", "--watch"},
      description =
          "Print each change until the roll-out is over: exit code 0 if all nodes are done, 1 if it stopped.")
  boolean watch;

  private final AtomicBoolean isWatching = new AtomicBoolean();

  RolloutStatusCommand(Session session) {
    super(session);
  }

  /// What is seen at one moment.
  private record Look(List<DriverSource> sources, List<RolloutReport> reports) {
    boolean isGoingOn() {
      return reports.stream().anyMatch(it -> it.end() == RolloutEnd.NONE);
    }

    Map<String, Row> rows() {
      var rows = new HashMap<String, Row>();
      reports.forEach(report -> report.nodes().forEach(row -> rows.put(row.node(), row)));
      return rows;
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    var cluster = cluster();
    Look look = look(cluster);
    print(look.reports());
    sayWhatIsUnattended(look);
    Look last = watch && look.isGoingOn() ? watch(cluster, look) : look;
    boolean isStopped = last.reports().stream().anyMatch(it -> it.end() == RolloutEnd.STOPPED);
    boolean isInVain = watch && last.reports().isEmpty();
    return isStopped || isInVain ? ExitCodes.PROBLEM : ExitCodes.OK;
  }

  private static Look look(ClusterReading cluster) {
    var reading = new RolloutReading(cluster);
    var gpuNodes = cluster.gpuNodes();
    var nodes = cluster.nodes();
    var sets = reading.daemonSets();
    var pods = reading.pods();
    List<DriverSource> sources = reading.sources();
    return new Look(
        sources,
        RolloutReport.of(
            sources, new RolloutReport.Fleet(gpuNodes.get(), nodes.get(), sets.get(), pods.get())));
  }

  private Look watch(ClusterReading cluster, Look first) throws InterruptedException {
    isWatching.set(true);
    Thread farewell = Thread.ofPlatform().unstarted(this::leave);
    Runtime.getRuntime().addShutdownHook(farewell);
    Look last = first;
    String trouble = "";
    while (last.isGoingOn()) {
      Thread.sleep(PAUSE);
      try {
        Look next = look(cluster);
        printChanges(last, next);
        last = next;
        trouble = "";
      } catch (RefusedException refused) {
        trouble = seeThrough(refused, trouble);
      }
    }
    isWatching.set(false);
    if (!output.isForPrograms()) {
      Screen screen = output.screen(session);
      last.reports().forEach(it -> screen.paragraph("", Style.BOLD, it.summary()));
    }
    return last;
  }

  /// An API server that is away for a while ends no watch.
  private String seeThrough(RefusedException refused, String before) {
    return switch (refused.kind()) {
      case UNREACHABLE, EXPIRED, FAILED -> {
        if (!refused.text().equals(before)) {
          warn("still watching; " + refused.text());
        }
        yield refused.text();
      }
      case INTERRUPTED -> {
        leave();
        throw refused;
      }
      case WRONG_INPUT, FORBIDDEN, NOT_FOUND -> throw refused;
    };
  }

  /// At Ctrl-C: the signal may end this program, or the kubectl that it waits for, first.
  private void leave() {
    if (isWatching.compareAndSet(true, false)) {
      session.err().println(LEFT);
      session.err().flush();
    }
  }

  private void printChanges(Look before, Look after) {
    Map<String, Row> former = before.rows();
    List<Row> changed =
        after.rows().values().stream()
            .filter(row -> !row.equals(former.get(row.node())))
            .sorted(Comparator.comparing(Row::node))
            .toList();
    Screen screen = output.screen(session);
    for (Row row : changed) {
      if (output.isForPrograms()) {
        screen.raw(Documents.json(row));
      } else {
        RolloutPrint.change(screen, row);
      }
    }
    session.out().flush();
  }

  private void print(List<RolloutReport> reports) {
    output.print(
        session,
        reports,
        reports.stream()
            .flatMap(it -> it.nodes().stream())
            .filter(it -> !it.isDone())
            .map(it -> "node/" + it.node())
            .toList(),
        screen -> {
          reports.forEach(
              it -> RolloutPrint.status(screen, it, output.isWide(), session.clock().instant()));
          next(screen, reports);
        });
    session.out().flush();
  }

  private static void next(Screen screen, List<RolloutReport> reports) {
    reports.stream()
        .flatMap(it -> it.nodes().stream())
        .filter(Row::isFailed)
        .findFirst()
        .ifPresent(failed -> {
          screen.line();
          screen.paragraph("Next  ", Style.BOLD, "kubectl gpu explain node " + failed.node());
        });
  }

  private void sayWhatIsUnattended(Look look) {
    if (look.sources().isEmpty()) {
      session.err().println(RolloutWords.NO_SOURCE);
    }
    look.sources().stream()
        .filter(it -> !it.unattended().isEmpty())
        .forEach(it -> warn(RolloutWords.unattended(it.title(), it.unattended())));
  }
}
