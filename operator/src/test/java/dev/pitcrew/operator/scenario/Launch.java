package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.operator.OperatorProgram;
import java.nio.file.Path;

/// How the scenes start one operator process.
final class Launch {
  static final OperatorLaunch PLAIN = OperatorLaunch.inPod(Scene.NAMESPACE, "operator-1");

  /// The class path of the tests, so that no package is needed.
  static final OperatorProgram PROGRAM =
      new OperatorProgram(
          OperatorProgram.javaOfThisProcess(),
          Path.of("target", OperatorProgram.FLAGS_FILE),
          System.getProperty("java.class.path"));

  private Launch() {}

  /// @param point the write that the operator does not survive, as `PITCREW_KILL_AFTER` spells it
  static OperatorLaunch killedAfter(String point) {
    return PLAIN.withVariable("PITCREW_KILL_AFTER", point);
  }

  /// One of several replicas.
  static OperatorLaunch replica(String podName) {
    return OperatorLaunch.inPod(Scene.NAMESPACE, podName).withArgument("--leader-elect");
  }
}
