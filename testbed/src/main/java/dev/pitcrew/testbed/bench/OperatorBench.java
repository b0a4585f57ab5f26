package dev.pitcrew.testbed.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "operator",
    description = {
      "Measure the operator at several sizes and write a table.",
      "",
      "A missed target is a line in the table and no failure. All sizes take some 20 minutes.",
      "With --only=upgrade a new driver is rolled through simulated GPU nodes instead."
    })
final class OperatorBench implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions();

  @Option(
      names = "--sizes",
      paramLabel = "N",
      split = ",",
      description = "Numbers of nodes. Default: 1,100,1000,5000; 12,100,1000 for upgrades")
  private List<Integer> sizes = List.of();

  @Option(
      names = "--trials",
      paramLabel = "N",
      defaultValue = "30",
      description = "How often each change is made. Default: ${DEFAULT-VALUE}")
  private int trials;

  @Option(
      names = "--only",
      paramLabel = "PHASE",
      description = "Measure something apart: ${COMPLETION-CANDIDATES}")
  private Optional<Phase> only = Optional.empty();

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description = "How many nodes are upgraded at a time. Default: one in 25")
  private Optional<Integer> parallel = Optional.empty();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Takes the table. Default: bench/results/operator.md, or upgrade.md")
  private Optional<Path> out = Optional.empty();

  /// What is measured apart.
  enum Phase {
    UPGRADE
  }

  @Spec private CommandSpec command = CommandSpec.create();

  private final PrintWriter console;

  OperatorBench(PrintWriter console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    var written = only.isPresent() ? upgrades() : operator();
    console.println(Files.readString(written));
    console.flush();
    return 0;
  }

  private Path operator() throws IOException {
    var file = out.orElse(Path.of("bench", "results", "operator.md"));
    var setting = options.setting(trials);
    var jvmFlags = setting.operator().program().jvmFlags();
    var figures = new ArrayList<SizeFigures>();
    for (var size : sizes.isEmpty() ? List.of(1, 100, 1_000, 5_000) : sizes) {
      figures.add(SizeBench.run(setting, size, this::say));
      // Written after each size, so that hours are not lost to a failure at the last one.
      write(file, new Report(figures, Machine.here(), today(), jvmFlags).markdown());
    }
    return file;
  }

  private Path upgrades() throws IOException {
    var file = out.orElse(Path.of("bench", "results", "upgrade.md"));
    var operator = options.setting(trials).operator();
    var chart = Path.of("charts", "pitcrew");
    var figures = new ArrayList<UpgradeFigures>();
    for (var size : sizes.isEmpty() ? List.of(12, 100, 1_000) : sizes) {
      figures.add(UpgradeBench.run(operator, chart, size, parallel, this::say));
      write(file, new UpgradeReport(figures, Machine.here(), today(), command()).markdown());
    }
    return file;
  }

  private String command() {
    return "testbed/testbed "
        + String.join(" ", command.commandLine().getParseResult().originalArgs());
  }

  private static LocalDate today() {
    return LocalDate.now(ZoneOffset.UTC);
  }

  private static void write(Path file, String page) throws IOException {
    Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    Files.writeString(file, page);
  }

  private void say(String line) {
    console.println(line);
    console.flush();
  }
}
