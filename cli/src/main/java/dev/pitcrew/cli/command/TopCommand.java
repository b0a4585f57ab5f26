package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.NodeUse;
import dev.pitcrew.cli.cluster.UseReading;
import dev.pitcrew.cli.plan.IdleRow;
import dev.pitcrew.cli.plan.NodeUseRow;
import dev.pitcrew.cli.plan.PodUseRow;
import dev.pitcrew.cli.plan.UseRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.Terminal;
import dev.pitcrew.cli.print.UsePrint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "top",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Shows how much GPUs are used, by the metrics of the agents: each GPU (default), nodes, or pods.",
      "With --idle it shows GPUs that pods have and do not use. Exit code 1 says that there is one, or that a node did not answer."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu top",
      "  kubectl gpu top pods -l pool=training",
      "  kubectl gpu top gpus gpu-1 -w      # again every 5 seconds, until Ctrl-C",
      "  kubectl gpu top --idle --for 2h"
    })
final class TopCommand extends ReadingCommand {
  /// What agents keep the time of, with the labels that it has on their pages.
  private static final Map<String, String> LIMITS =
      Map.of("1%", "0.01", "5%", "0.05", "10%", "0.1", "25%", "0.25");

  private enum Kind {
    NODES,
    GPUS,
    PODS
  }

  @Parameters(
      paramLabel = "nodes|gpus|pods|<node>",
      arity = "0..2",
      description = "What to list (default: gpus), and the node, if only one is wanted.")
  List<String> words = new ArrayList<>();

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "<labels>",
      defaultValue = "",
      description = "Only nodes with these labels, as kubectl takes them.")
  String selector = "";

  @Option(names = "--idle", description = "Only GPUs that pods have and do not use.")
  boolean idle;

  @Option(
      names = "--below",
      paramLabel = "<percent>",
      description = "Utilisation below which a GPU is idle: 1%%, 5%%, 10%% or 25%% (default: 5%%).")
  Optional<String> below = Optional.empty();

  @Option(
      names = "--for",
      paramLabel = "<duration>",
      converter = ConnectionFlags.GoDuration.class,
      description = "How long a pod has not used its GPU (default: 30m).")
  Optional<Duration> time = Optional.empty();

  @Option(
      names = {"-w", "--watch"},
      description = "Show it again and again, until Ctrl-C.")
  boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "<duration>",
      defaultValue = "5s",
      converter = ConnectionFlags.GoDuration.class,
      description = "How often -w reads (default: ${DEFAULT-VALUE}, as agents sample).")
  Duration interval = Duration.ZERO;

  @Option(
      names = "--max-nodes",
      paramLabel = "<number>",
      defaultValue = "100",
      description =
          "How many nodes are asked at most; each costs a run of kubectl (default: ${DEFAULT-VALUE}).")
  int most;

  @Option(
      names = "--port",
      paramLabel = "<number>",
      defaultValue = "9400",
      description = "Port on which agents serve metrics (default: ${DEFAULT-VALUE}).")
  int port;

  private record Wanted(Kind kind, String node) {}

  TopCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() throws InterruptedException {
    Wanted wanted = wanted();
    IdleRow.Limit limit = limit();
    require(
        !watch || output.output == OutputFlags.Output.table || output.isWide(),
        "-w shows tables: leave out -o " + output.output);
    require(most > 0, "--max-nodes %d is too small: give 1 or more".formatted(most));
    require(port > 0 && port < 1 << 16, "--port %d is no port: give 1 to 65535".formatted(port));
    require(
        interval.compareTo(Duration.ofSeconds(1)) >= 0,
        "--interval %s is too short: give 1s or more".formatted(interval));
    int code = once(wanted, limit);
    while (watch) {
      Thread.sleep(interval);
      new Screen(session.out(), Terminal.of(session.environment(), session.out().charset(), true))
          .clear();
      code = once(wanted, limit);
    }
    return code;
  }

  private Wanted wanted() {
    Optional<Kind> kind =
        words.stream()
            .findFirst()
            .flatMap(word ->
                List.of(Kind.values()).stream()
                    .filter(it -> it.name().equalsIgnoreCase(word))
                    .findFirst());
    List<String> rest = kind.isPresent() ? words.subList(1, words.size()) : words;
    require(
        rest.size() < 2,
        "'%s' is none of nodes, gpus, pods: give one of them, or leave it out"
            .formatted(words.isEmpty() ? "" : words.getFirst()));
    require(
        !idle || kind.isEmpty() || kind.get() == Kind.GPUS,
        "--idle lists GPUs with their pods: leave out " + String.join(" ", words));
    require(
        rest.isEmpty() || selector.isEmpty(),
        "give the name of a node or a selector, and not both");
    var node = new NodeArgument();
    node.node = rest.isEmpty() ? "" : rest.getFirst();
    return new Wanted(kind.orElse(Kind.GPUS), node.name());
  }

  private IdleRow.Limit limit() {
    require(
        idle || (below.isEmpty() && time.isEmpty()),
        "--below and --for say what is idle: add --idle");
    String percent = below.orElse("5%");
    String label = LIMITS.getOrDefault(percent.endsWith("%") ? percent : percent + "%", "");
    require(
        !label.isEmpty(),
        "--below %s is none of 1%%, 5%%, 10%%, 25%%, of which agents keep the time"
            .formatted(percent));
    return new IdleRow.Limit(label, time.orElse(Duration.ofMinutes(30)));
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw Names.wrong(otherwise);
    }
  }

  private int once(Wanted wanted, IdleRow.Limit limit) throws InterruptedException {
    var cluster = cluster();
    var argument = new NodeArgument();
    argument.node = wanted.node();
    var gpuNodes = argument.nodes(cluster);
    var pods = cluster.holders();
    Optional<Set<String>> selected =
        selector.isEmpty() ? Optional.empty() : Optional.of(cluster.nodeNames(selector).get());
    List<GpuNode> all =
        gpuNodes.get().stream()
            .filter(it -> selected.isEmpty() || selected.get().contains(it.name()))
            .sorted(Comparator.comparing(GpuNode::name))
            .toList();
    List<GpuNode> nodes = all.subList(0, Math.min(most, all.size()));
    List<NodeUse> uses =
        nodes.isEmpty()
            ? List.of()
            : new UseReading(connection.kubectl(session, Duration.ZERO), port)
                .of(nodes.stream().map(GpuNode::name).toList());
    boolean isCut = nodes.size() < all.size();
    if (isCut) {
      warn(
          "%d of %d nodes were asked: choose others with -l or a name, or raise --max-nodes"
              .formatted(nodes.size(), all.size()));
    }
    List<UseRow> rows = UseRow.of(nodes, uses);
    boolean isWhole = rows.stream().allMatch(it -> it.problem().isEmpty());
    if (!idle) {
      print(wanted.kind(), rows);
      return isWhole ? ExitCodes.OK : ExitCodes.PROBLEM;
    }
    IdleRow.Idle found = IdleRow.of(uses, limit, pods.get(), session.clock().instant());
    printRows(
        found.rows(),
        "No pod is known to have a GPU that it does not use.",
        row -> "pod/" + row.pod(),
        screen -> UsePrint.idle(screen, found.rows()));
    warnOfProblems(rows);
    if (!found.unmeasured().isEmpty()) {
      warn("not measured: " + Words.some(found.unmeasured()));
    }
    return found.rows().isEmpty() && isWhole && !isCut ? ExitCodes.OK : ExitCodes.PROBLEM;
  }

  private void print(Kind kind, List<UseRow> rows) {
    String none = "No node has a GPU yet.";
    switch (kind) {
      case GPUS ->
          printRows(
              rows,
              none,
              row -> "node/" + row.node(),
              screen -> UsePrint.gpus(screen, rows, output.isWide()));
      case NODES -> {
        List<NodeUseRow> nodes = NodeUseRow.of(rows);
        printRows(
            nodes,
            none,
            row -> "node/" + row.node(),
            screen -> UsePrint.nodes(screen, nodes, rows));
      }
      case PODS -> {
        List<PodUseRow> pods = PodUseRow.of(rows);
        printRows(
            pods,
            "No pod is known to have a GPU.",
            row -> "pod/" + row.pod(),
            screen -> UsePrint.pods(screen, pods, rows));
        if (pods.isEmpty()) {
          warnOfProblems(rows);
        }
      }
    }
  }

  private void warnOfProblems(List<UseRow> rows) {
    rows.stream()
        .filter(it -> !it.problem().isEmpty())
        .map(it -> it.node() + ": " + it.problem())
        .distinct()
        .forEach(this::warn);
  }
}
