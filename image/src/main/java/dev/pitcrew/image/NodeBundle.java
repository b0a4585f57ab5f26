package dev.pitcrew.image;

import dev.pitcrew.image.Repository.Program;
import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/// The agent's programs for a machine without Java and without a container runtime, as one folder
/// that runs wherever it lies: the files of the image, but for the operator, the C library and the
/// AOT caches, which are as large as everything else together.
///
/// @param name of the folder in the archive, such as `pitcrew-node-0.1.0-amd64`
record NodeBundle(String name, FileTree tree) {
  /// That of Ubuntu 20.04 and Debian 11.
  static final GlibcVersion OLDEST_GLIBC = new GlibcVersion(2, 31);

  static final String RECORDINGS = "/etc/simulated/";

  /// Beside the agent's programs; the image does not need it.
  private static final String REAL_GPU_CHECK =
      "real-gpu-check dev.pitcrew.agent.realgpu.RealGpuCheck jars=lib/agent flags=etc/agent.jvm restart=no\n";

  private static final String AGENT_CLASSES = " dev.pitcrew.agent.";

  /// Puts the folder together at `root`, of which nothing is kept.
  ///
  /// @param runtime a Java runtime, as an absolute path
  /// @throws ImageException if a program or library needs a newer glibc than [#OLDEST_GLIBC]
  static NodeBundle stage(Repository repository, Path runtime, Path root) {
    var tree = FileTree.empty(root);
    tree.copyTree(repository.bundle(), "/");
    tree.copyTree(runtime, "/jre");
    for (var jar : repository.jars(Program.AGENT)) {
      tree.copy(jar, "/lib/agent/" + jar.getFileName());
    }
    tree.copy(repository.flags(Program.AGENT), "/etc/agent.jvm");
    tree.write("/etc/programs", programs(repository).getBytes(StandardCharsets.UTF_8));
    tree.copy(repository.licence(), "/LICENSE");
    tree.copy(repository.gate(), "/bin/pitcrew");
    tree.copy(repository.cdiHook(), "/bin/pitcrew-cdi-hook");
    tree.copy(repository.mpsSupervisor(), "/bin/pitcrew-mps");
    tree.copy(repository.realGpuCheck(), "/real-gpu-check");
    refuseNewerGlibc(root);
    new SimulatorRecording(repository.simulator(), tree).add();
    var name = "pitcrew-node-%s-%s".formatted(repository.version(), Image.architecture());
    return new NodeBundle(name, tree);
  }

  /// Everything below one folder, as old as the Unix epoch and root's.
  Layer layer() {
    return Layer.titled(name).withTree("/" + name, tree.root());
  }

  /// The agent's lines of the image's table. All its jars lie in one folder here, and nothing is
  /// asked of an agent, which is in a container of its own.
  private static String programs(Repository repository) {
    var table = new FileTree(repository.skeleton()).at(Rootfs.HOME + "/etc/programs");
    try (var lines = Files.lines(table)) {
      return lines
          .filter(line -> line.contains(AGENT_CLASSES))
          .map(line -> line.replace("jars=lib/agent:lib/shared", "jars=lib/agent"))
          .map(line -> line.replaceAll(" (arg=--command-socket|asks)=\\S+", "") + "\n")
          .collect(Collectors.joining("", "", REAL_GPU_CHECK));
    } catch (IOException e) {
      throw new UncheckedIOException("read " + table, e);
    }
  }

  private static void refuseNewerGlibc(Path root) {
    GlibcVersion.newestBelow(root)
        .filter(need -> need.version().compareTo(OLDEST_GLIBC) > 0)
        .ifPresent(need -> {
          throw new ImageException(
              "%s needs glibc %s, and the bundle is to run with %s: set JAVA_HOME to a JDK that is built for older systems, such as Eclipse Temurin"
                  .formatted(need.file(), need.version(), OLDEST_GLIBC));
        });
  }
}
