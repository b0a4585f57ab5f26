package dev.pitcrew.testbed.image;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A shell and what little scripts call, as this machine has them, with the libraries that they
/// need.
public final class ShellPrograms {
  private static final List<String> PROGRAMS =
      List.of("/bin/sh", "/bin/cat", "/bin/mkdir", "/bin/mv", "/bin/rm");

  /// `libc.so.6 => /lib/libc.so.6 (0x…)`, or only the path.
  private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");

  private ShellPrograms() {}

  public static Layer layer() {
    var layer = Layer.titled("shell");
    for (var program : PROGRAMS) {
      layer = layer.withFile(program, Path.of(program));
    }
    for (var library : libraries()) {
      layer = layer.withFile(library, Path.of(library));
    }
    return layer;
  }

  private static List<String> libraries() {
    var command = new ArrayList<>(List.of("ldd"));
    command.addAll(PROGRAMS);
    var run = CommandRun.of(command, Path.of("/"));
    // It says of a static program that it is none of its own.
    var found = LIBRARY.matcher(run.output()).results().map(it -> it.group(1)).distinct().toList();
    if (found.isEmpty() && !run.succeeded()) {
      throw new TestbedException("ldd does not report the libraries: " + run.lastLines());
    }
    return found;
  }
}
