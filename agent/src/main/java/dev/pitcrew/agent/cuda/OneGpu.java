package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.VectorSum;

/// The child process: checks one GPU, says in one line what came of it, and ends. Nothing but that:
/// each class more costs time and memory of the node.
public final class OneGpu {
  private OneGpu() {}

  /// @param arguments the path of libcuda, and the UUID of the GPU or MIG device
  public static void main(String[] arguments) {
    System.out.println(OutcomeLine.write(VectorSum.on(arguments[0], arguments[1])));
    System.out.flush();
    // Without the exit handlers of libcuda, which may hang as any other call of it.
    Runtime.getRuntime().halt(0);
  }
}
