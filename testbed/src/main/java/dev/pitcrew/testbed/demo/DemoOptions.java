package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.operator.OperatorProgram;
import java.nio.file.Path;

/// What can be chosen about the demo.
///
/// @param isOnce end after the last step, and count every failed check as a failure
/// @param operator the program under show
/// @param chart folder of the Helm chart
/// @param values file to install it with
record DemoOptions(
    boolean isOnce, NodeCounts nodes, OperatorProgram operator, Path chart, Path values) {

  /// How many simulated nodes there are.
  record NodeCounts(int gpu, int cpu) {}
}
