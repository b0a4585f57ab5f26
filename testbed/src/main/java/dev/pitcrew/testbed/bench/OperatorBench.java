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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "operator",
    description = {
      "Measure the operator at several sizes and write a table.",
      "",
      "A missed target is a line in the table and no failure. All sizes take some 20 minutes."
    })
final class OperatorBench implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions();

  @Option(
      names = "--sizes",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,100,1000,5000",
      description = "Numbers of nodes. Default: ${DEFAULT-VALUE}")
  private List<Integer> sizes = List.of();

  @Option(
      names = "--trials",
      paramLabel = "N",
      defaultValue = "30",
      description = "How often each change is made. Default: ${DEFAULT-VALUE}")
  private int trials;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "bench/results/operator.md",
      description = "Takes the table. Default: ${DEFAULT-VALUE}")
  private Path out = Path.of("");

  private final PrintWriter console;

  OperatorBench(PrintWriter console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    var setting = options.setting(trials);
    var jvmFlags = setting.operator().program().jvmFlags();
    var figures = new ArrayList<SizeFigures>();
    for (var size : sizes) {
      figures.add(SizeBench.run(setting, size, this::say));
      // Written after each size, so that hours are not lost to a failure at the last one.
      write(new Report(figures, Machine.here(), LocalDate.now(ZoneOffset.UTC), jvmFlags));
    }
    console.println(Files.readString(out));
    console.flush();
    return 0;
  }

  private void write(Report report) throws IOException {
    Files.createDirectories(Objects.requireNonNull(out.toAbsolutePath().getParent()));
    Files.writeString(out, report.markdown());
  }

  private void say(String line) {
    console.println(line);
    console.flush();
  }
}
