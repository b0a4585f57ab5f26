package dev.pitcrew.image;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Builds the image; `make image` runs it.
@Command(
    name = "image",
    description = "Puts the image of operator and agent together from a built checkout.",
    mixinStandardHelpOptions = true)
public final class ImageCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;
  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = "--repository",
      defaultValue = ".",
      description = "The checkout (default: ${DEFAULT-VALUE}).")
  Path repository = Path.of(".");

  ImageCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new ImageCommand(System.out, System.err)).execute(args));
  }

  @Override
  public Integer call() {
    Progress progress = line -> err.println("image: " + line);
    var build = ImageBuild.of(repository, progress);
    try {
      var archive = build.run();
      out.println(
          "image: %s in %s (%d MiB)"
              .formatted(build.repository().imageName(), archive, mebibytes(archive)));
      return CommandLine.ExitCode.OK;
    } catch (ImageException | TestbedException e) {
      err.println("image: " + e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  private static long mebibytes(Path file) {
    try {
      return Files.size(file) / MEBIBYTE;
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }
}
