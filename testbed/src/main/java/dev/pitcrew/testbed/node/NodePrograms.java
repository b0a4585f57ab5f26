package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.image.StaticProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What the nodes of one test bed that have the same containerd run, in folders that they see.
///
/// @param programs on the path of every node
/// @param networkPlugins where containerd looks for them
/// @param pauseImage an archive with the first container of every pod
record NodePrograms(Path programs, Path networkPlugins, Path pauseImage) {
  static NodePrograms in(Path folder, Binaries binaries, ContainerdRelease containerd) {
    try {
      var programs = Files.createDirectories(folder.resolve("bin"));
      var networkPlugins = Files.createDirectories(folder.resolve("cni"));
      for (var program : binaries.resolveAll(containerd.programs()).entrySet()) {
        var binary = program.getKey();
        var target = isNetworkPlugin(binary) ? networkPlugins : programs;
        put(program.getValue(), target.resolve(binary.command()));
      }
      return new NodePrograms(programs, networkPlugins, StaticProgram.PAUSE.imageIn(folder));
    } catch (IOException e) {
      throw new UncheckedIOException("gather the programs of nodes in " + folder, e);
    }
  }

  List<NodeSpec.Mount> mounts() {
    return List.of(
        new NodeSpec.Mount(programs, "/node/bin"),
        new NodeSpec.Mount(networkPlugins, "/opt/cni/bin"));
  }

  private static boolean isNetworkPlugin(Binary binary) {
    return switch (binary) {
      case CNI_BRIDGE, CNI_HOST_LOCAL, CNI_LOOPBACK -> true;
      default -> false;
    };
  }

  /// A second name for the file where that is possible: some of them have 100 MB.
  private static void put(Path program, Path target) throws IOException {
    try {
      Files.createLink(target, program);
    } catch (IOException | UnsupportedOperationException _) {
      Files.copy(program, target);
    }
  }
}
