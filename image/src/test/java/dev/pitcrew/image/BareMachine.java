package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/// The root file system of a machine with a driver, whose library is the simulated one, a C library
/// and a shell: no Java, no other program.
///
/// @param root absolute
record BareMachine(Path root) {
  private static final Path SHELL = Path.of("/bin/sh");

  // In a mount namespace of its own, so that nothing is left to undo. The machine's own /dev has
  // the driver's device nodes.
  private static final String SCRIPT =
      """
      set -e
      root=$1
      shift
      mount --rbind /proc "$root/proc"
      [ ! -d /proc/driver ] || mount --bind "$root/run/proc-driver" "$root/proc/driver"
      for device in null zero random urandom; do
        : > "$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
      done
      exec chroot "$root" "$@"
      """;

  /// @param folder empty; who gives it removes it
  static BareMachine create(Path folder, SimulatedNodeOptions options) throws IOException {
    var node = SimulatedNode.create(folder, options.withDriverRoot("/"));
    var root = node.hostRoot();
    for (var empty : List.of("dev", "proc", "tmp", "run", "usr/bin", "bin")) {
      Files.createDirectories(root.resolve(empty));
    }
    Files.move(root.resolve("proc/driver"), root.resolve("run/proc-driver"));
    var tree = new FileTree(root);
    for (var library :
        SystemLibraries.of(ImageUnderTest.build().linkedRuntime()).files().keySet()) {
      Files.createDirectories(tree.at(library).getParent());
      Files.copy(
          Path.of(library).toRealPath(), tree.at(library), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.copy(SHELL.toRealPath(), tree.at("/bin/sh"));
    Files.copy(Path.of("/bin/readlink").toRealPath(), tree.at("/usr/bin/readlink"));
    return new BareMachine(root);
  }

  boolean isPossible() {
    return run("/bin/sh", "-c", ":").succeeded();
  }

  /// Runs a program of this machine to its end.
  CommandRun run(String program, String... arguments) {
    var words = new ArrayList<>(List.of("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"));
    // Only there the simulated libcuda looks for the driver's compiler.
    words.add("LD_LIBRARY_PATH=/usr/lib/%s-linux-gnu".formatted(processor()));
    words.addAll(List.of("unshare", "--mount", "sh", "-c", SCRIPT, "sh", root.toString(), program));
    words.addAll(List.of(arguments));
    return CommandRun.of(words, root);
  }

  private static String processor() {
    return System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
  }
}
