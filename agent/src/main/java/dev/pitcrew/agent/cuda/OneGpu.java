package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.VectorSum;
import java.io.IOException;

/// The child process: checks one GPU, says in one line what came of it, and ends. Nothing but that:
/// each class more costs time and memory of the node.
public final class OneGpu {
  private OneGpu() {}

  /// @param arguments the path of libcuda, and the UUID of the GPU or MIG device
  public static void main(String[] arguments) {
    Thread.ofPlatform().daemon().start(OneGpu::endWithParent);
    System.out.println(OutcomeLine.write(VectorSum.on(arguments[0], arguments[1])));
    System.out.flush();
    // Without the exit handlers of libcuda, which may hang as any other call of it.
    Runtime.getRuntime().halt(0);
  }

  /// The parent writes nothing. It, or the kernel where the parent was killed, closes the pipe: a
  /// check that hangs would else keep the driver in use for good.
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is expected.
      }
    } catch (IOException _) {
      // A pipe that cannot be read is closed.
    }
    Runtime.getRuntime().halt(1);
  }
}
