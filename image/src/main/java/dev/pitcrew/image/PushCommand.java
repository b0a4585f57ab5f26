package dev.pitcrew.image;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.helm.Chart;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Pushes image and chart; `make push` runs it.
@Command(
    name = "push",
    description = "Pushes the images in target/dist, and the chart that names their registry.",
    mixinStandardHelpOptions = true)
public final class PushCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Parameters(
      paramLabel = "REGISTRY",
      description = "Host and path, such as registry.example.com/gpu.")
  String registry = "";

  @Option(
      names = "--repository",
      defaultValue = ".",
      description = "The checkout (default: ${DEFAULT-VALUE}).")
  Path repository = Path.of(".");

  @Option(
      names = "--dist",
      defaultValue = "target/dist",
      description = "Where 'make dist' has put the images (default: ${DEFAULT-VALUE}).")
  Path dist = Path.of("target/dist");

  @Option(names = "--plain-http", description = "The registry speaks HTTP.")
  boolean isPlainHttp;

  PushCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new PushCommand(System.out, System.err)).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    try {
      var version = new Repository(repository.toAbsolutePath().normalize()).version();
      push(Registry.of(registry), version);
      return CommandLine.ExitCode.OK;
    } catch (ImageException | TestbedException | IllegalStateException e) {
      err.println("push: " + e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  private void push(Registry to, String version) throws IOException {
    var archives = ImagePush.archives(dist, version);
    if (archives.isEmpty()) {
      throw new ImageException(
          "%s has no pitcrew-%s-amd64.tar or pitcrew-%s-arm64.tar: run 'make dist'"
              .formatted(dist, version, version));
    }
    var crane = Binaries.standard(line -> err.println("push: " + line)).resolve(Binary.CRANE);
    var index = new ImagePush(crane, to, isPlainHttp).push(version, archives);
    out.println("push: image " + index);
    out.println("push: its index has " + processors(archives));
    out.println("push: chart " + pushChart(to));
    out.println(
        "push: helm install gpu-operator %s/pitcrew --version %s --namespace gpu-operator --create-namespace"
            .formatted(to.charts(), version));
  }

  private String pushChart(Registry to) throws IOException {
    var work = Files.createTempDirectory("pitcrew-push-");
    try {
      var chart = new Repository(repository.toAbsolutePath().normalize()).chart();
      var archive = new ChartPackage(chart, Optional.of(to.name())).writeInto(work);
      var answer =
          Chart.push(archive, URI.create(to.charts()), isPlainHttp || to.isLoopback()).strip();
      return to.charts() + "/pitcrew: " + answer.replaceAll("\\s+", " ");
    } finally {
      FileTree.delete(work);
    }
  }

  private static String processors(SortedMap<String, Path> archives) {
    var missing = new TreeSet<>(List.of("amd64", "arm64"));
    missing.removeAll(archives.keySet());
    var there = "linux/" + String.join(", linux/", archives.keySet());
    return missing.isEmpty()
        ? there
        : there
            + " only; for linux/%s put the archive that 'make dist' makes on such a machine into the same folder, and push again"
                .formatted(missing.first());
  }
}
