package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Builds the bundle for machines without a cluster; `make node-bundle` runs it.
@Command(
    name = "node-bundle",
    description = "Packs the agent's programs for a machine without Java, from a built checkout.",
    mixinStandardHelpOptions = true)
public final class NodeBundleCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;

  /// Small enough for a mail or a slow line.
  private static final long MOST_BYTES = 45 * MEBIBYTE;

  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = "--repository",
      defaultValue = ".",
      description = "The checkout (default: ${DEFAULT-VALUE}).")
  Path repository = Path.of(".");

  NodeBundleCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new NodeBundleCommand(System.out, System.err)).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    Progress progress = line -> err.println("node-bundle: " + line);
    var build = ImageBuild.of(repository, progress);
    try {
      progress.line("collecting files, and recording what the simulator answers (some 15 seconds)");
      var bundle =
          NodeBundle.stage(
              build.repository(), build.linkedRuntime(), build.target().resolve("node-bundle"));
      var archive = build.target().resolve(bundle.name() + ".tar.xz");
      progress.line("compressing (half a minute)");
      new XzArchive(archive, MOST_BYTES).write(bundle.layer());
      var size = Files.size(archive);
      out.println(
          "node-bundle: %s (%.1f MiB of at most %d)"
              .formatted(archive, (double) size / MEBIBYTE, MOST_BYTES / MEBIBYTE));
      return CommandLine.ExitCode.OK;
    } catch (ImageException e) {
      err.println("node-bundle: " + e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }
}
