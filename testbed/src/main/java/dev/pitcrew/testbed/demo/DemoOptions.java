package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.operator.OperatorProgram;
import java.nio.file.Path;

/// What can be chosen about the demo.
///
/// @param isOnce end after the last step, and count every failed check as a failure
/// @param nodes the simulated ones
/// @param operator the program under show where no pod can run it
/// @param chart folder of the Helm chart
/// @param values file to install it with
/// @param image the archive for the real node, or a folder with it
/// @param isSimulatedOnly leave the real node out
/// @param isTakeover show a take-over from the NVIDIA GPU Operator, and nothing else
record DemoOptions(
    boolean isOnce,
    NodeCounts nodes,
    OperatorProgram operator,
    Path chart,
    Path values,
    Path image,
    boolean isSimulatedOnly,
    boolean isTakeover) {

  /// How many simulated nodes there are.
  record NodeCounts(int gpu, int cpu) {}
}
