package dev.pitcrew.testbed.image;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// A small C program of ours, linked statically, so that an image needs nothing but this one file.
public enum StaticProgram {
  /// Holds the namespaces of a pod and does nothing.
  PAUSE("pause", "testbed.local/pause:1"),
  /// Prints its environment, its device nodes and whether the API server answers it, and stays.
  PROBE("probe", "testbed.local/probe:1");

  private final String file;
  private final String imageName;

  StaticProgram(String file, String imageName) {
    this.file = file;
    this.imageName = imageName;
  }

  /// The name of the image with this program.
  public String imageName() {
    return imageName;
  }

  /// Compiles the program with gcc and writes an image of it into `folder`.
  public Path imageIn(Path folder) {
    var program = compileInto(folder);
    return Image.named(imageName)
        .withEntrypoint("/" + file)
        .withLayer(Layer.titled(file).withFile("/" + file, program))
        .writeTo(folder.resolve(file + ".tar"));
  }

  /// Compiles the program with gcc into `folder`.
  public Path compileInto(Path folder) {
    var source = folder.resolve(file + ".c");
    var program = folder.resolve(file);
    try (var stream = StaticProgram.class.getResourceAsStream(file + ".c")) {
      Files.write(source, Objects.requireNonNull(stream, file).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("write " + source, e);
    }
    var run =
        CommandRun.of(
            List.of("gcc", "-Os", "-static", "-s", "-Wall", "-o", program.toString(), file + ".c"),
            folder);
    if (!run.succeeded()) {
      throw new TestbedException(
          "gcc could not compile %s (install gcc and the static C library, libc6-dev on Debian): %s"
              .formatted(source, run.lastLines()));
    }
    return program;
  }
}
