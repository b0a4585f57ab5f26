package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.bench.ClaimBench.Phase;
import dev.pitcrew.testbed.demo.InstalledCluster;
import dev.pitcrew.testbed.demo.InstalledCluster.Installation;
import dev.pitcrew.testbed.node.NodeSupport;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "claims",
    description = {
      "Measure GPUs by ResourceClaims on a real node with simulated GPUs and write a table.",
      "",
      "Takes root on Linux and the image of 'make image'. A missed target is a line in the table"
          + " and no failure. Takes some eight minutes."
    })
final class ClaimsCommand implements Callable<Integer> {
  @Option(
      names = "--image",
      paramLabel = "FILE",
      defaultValue = "image/target",
      description = "The image's archive, or a folder with it. Default: ${DEFAULT-VALUE}")
  private Path image = Path.of("");

  @Option(
      names = "--trials",
      paramLabel = "N",
      defaultValue = "3",
      description = "Of each change. Default: ${DEFAULT-VALUE}")
  private int trials;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Simulated ones for the scheduler, and pods on them. Default: ${DEFAULT-VALUE}")
  private int nodes;

  @Option(
      names = "--only",
      paramLabel = "PHASE",
      split = ",",
      description =
          "Print the figures of some phases, and write no table: ${COMPLETION-CANDIDATES}")
  private List<Phase> only = List.of();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "bench/results/claims.md",
      description = "Takes the table. Default: ${DEFAULT-VALUE}")
  private Path out = Path.of("");

  private final PrintWriter console;

  ClaimsCommand(PrintWriter console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    var phases = only.isEmpty() ? List.of(Phase.values()) : only;
    var rows = new ArrayList<String>();
    if (phases.stream().anyMatch(phase -> phase != Phase.SCHEDULER)) {
      rows.addAll(onNode(phases));
    }
    if (phases.contains(Phase.SCHEDULER)) {
      rows.addAll(rows(Phase.SCHEDULER, () -> new SchedulerBench(nodes, nodes).figures()));
    }
    if (only.isEmpty()) {
      Files.writeString(out, markdown(rows));
    }
    return 0;
  }

  private List<String> onNode(List<Phase> phases) {
    var support = NodeSupport.ofThisMachine(System.err::println);
    if (!support.isAvailable()) {
      throw new TestbedException(support.explanation());
    }
    var installation =
        new Installation(
            Path.of("charts", "pitcrew"),
            Path.of("demo", "values.yaml"),
            image,
            ClaimBench.values());
    try (var cluster = InstalledCluster.start(console, installation, KubeletLog.VERBOSITY)) {
      var bench = new ClaimBench(new AgentUnderTest(cluster), trials);
      return phases.stream()
          .filter(phase -> phase != Phase.SCHEDULER)
          .flatMap(phase -> rows(phase, () -> bench.figures(phase)).stream())
          .toList();
    }
  }

  /// Prints them at once: a later phase may fail.
  private List<String> rows(Phase phase, Supplier<List<Figure>> figures) {
    var load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    say(phase.name().toLowerCase(Locale.ROOT) + ", load average %.1f".formatted(load));
    var rows = figures.get().stream().map(Figure::row).toList();
    rows.forEach(this::say);
    return rows;
  }

  private static String markdown(List<String> rows) {
    return Stream.concat(
            Stream.of(
                """
                # GPUs by claims, compared with NVIDIA's DRA driver

                | measure | NVIDIA | target | ours | met |
                | --- | ---: | ---: | ---: | --- |\
                """),
            rows.stream())
        .collect(
            Collectors.joining(
                "\n",
                "",
                """


                %s; %s.
                A real kubelet and containerd with 8 simulated H100s; control plane, two nodes, operator and bench share the machine: upper bounds.
                NVIDIA's figures are of its driver without its limits on API calls, on another machine.
                """
                    .formatted(Machine.here().markdown(), LocalDate.now(ZoneOffset.UTC))));
  }

  private void say(String line) {
    console.println(line);
    console.flush();
  }
}
