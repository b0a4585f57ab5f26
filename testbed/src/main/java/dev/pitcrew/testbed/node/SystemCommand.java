package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.nio.file.Path;
import java.util.List;

/// A command of the system that has to succeed.
final class SystemCommand {
  private SystemCommand() {}

  /// @return what it wrote
  static String run(String... words) {
    var run = CommandRun.of(List.of(words), Path.of("/"));
    if (!run.succeeded()) {
      throw new TestbedException(
          "'%s' ended with status %d: %s"
              .formatted(String.join(" ", words), run.status(), run.lastLines()));
    }
    return run.output();
  }

  /// Runs a script of this package.
  static void script(String name, String... arguments) {
    var words = new String[arguments.length + 4];
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = NodeResources.text(name);
    words[3] = name;
    System.arraycopy(arguments, 0, words, 4, arguments.length);
    run(words);
  }
}
