package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.image.BuiltImage;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.operator.OperatorProgram;
import java.nio.file.Path;
import java.util.List;

/// How the scenes start one operator process.
final class Launch {
  static final OperatorLaunch PLAIN = OperatorLaunch.inPod(Scene.NAMESPACE, "operator-1");

  /// The operator of the image, or without one that of the tests' own class path.
  static final OperatorProgram PROGRAM =
      BuiltImage.ofTests().map(OperatorProgram::of).orElseGet(Launch::ofClassPath);

  private Launch() {}

  private static OperatorProgram ofClassPath() {
    return new OperatorProgram(
        OperatorProgram.javaOfThisProcess(),
        Path.of("target", OperatorProgram.FLAGS_FILE),
        List.of(),
        System.getProperty("java.class.path"));
  }

  /// One of several replicas.
  static OperatorLaunch replica(String podName) {
    return OperatorLaunch.inPod(Scene.NAMESPACE, podName).withArgument("--leader-elect");
  }
}
