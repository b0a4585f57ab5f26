package dev.pitcrew.testbed.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/// The NUMA nodes that a kubelet sees, on a machine that has another number of them: the processors
/// of this machine are dealt out to them in turn.
///
/// @param folder takes the place of the node's `/sys/devices/system/node`
public record NumaNodes(Path folder) {
  private static final String SYSFS = "/sys/devices/system/node";
  private static final int NEAR = 10;
  private static final int FAR = 21;
  private static final int COUNT = 2;

  /// Two of them, as servers with two sockets have.
  ///
  /// @param folder empty; who gives it removes it
  public static NumaNodes two(Path folder) {
    try {
      for (int number = 0; number < COUNT; number++) {
        write(Files.createDirectory(folder.resolve("node" + number)), number);
      }
      Files.writeString(folder.resolve("online"), "0-1\n");
      return new NumaNodes(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("write NUMA nodes to " + folder, e);
    }
  }

  private static void write(Path node, int number) throws IOException {
    Files.writeString(
        node.resolve("meminfo"), "Node %d MemTotal:       16777216 kB\n".formatted(number));
    Files.writeString(
        node.resolve("distance"), number == 0 ? NEAR + " " + FAR + "\n" : FAR + " " + NEAR + "\n");
    Files.createDirectory(node.resolve("hugepages"));
    var processors =
        IntStream.range(0, Runtime.getRuntime().availableProcessors())
            .filter(processor -> processor % COUNT == number)
            .toArray();
    for (int processor : processors) {
      Files.createSymbolicLink(
          node.resolve("cpu" + processor), Path.of("../../cpu/cpu" + processor));
    }
  }

  /// A node whose kubelet sees them.
  public NodeSpec in(NodeSpec spec) {
    return spec.withMount(folder, SYSFS);
  }
}
