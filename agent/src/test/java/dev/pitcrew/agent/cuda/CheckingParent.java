package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A process that checks one GPU, as an agent does, and says what came of it.
public final class CheckingParent {
  private CheckingParent() {}

  /// @param before the words of a program that starts the rest of its arguments; may be empty
  /// @param heldMib what the process takes of memory besides some 45 MiB
  static Process start(List<String> before, int heldMib, SimulatedNode node, Path links)
      throws IOException {
    var words = new ArrayList<>(before);
    words.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx%dm".formatted(2 * heldMib + 64),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            CheckingParent.class.getName(),
            node.driverRoot().toString(),
            links.toString(),
            node.gpus().get(0).uuid(),
            String.valueOf(heldMib)));
    return new ProcessBuilder(words).redirectErrorStream(true).start();
  }

  static CudaTarget gpu(String uuid) {
    return new CudaTarget("0", uuid, new CudaTarget.On(0, uuid, List.of()));
  }

  public static void main(String[] arguments) throws Exception {
    byte[] held = new byte[Integer.parseInt(arguments[3]) << 20];
    Arrays.fill(held, (byte) 1);
    var check =
        new CudaCheck(
            new HostRoot(Path.of(arguments[0])), Path.of(arguments[1]), Duration.ofMinutes(5));
    try {
      System.out.println(check.of(gpu(arguments[2])));
    } finally {
      Reference.reachabilityFence(held);
    }
  }
}
