package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.operator.OperatorProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The operator as the benches call it.
record BenchedOperator(OperatorProgram program) {
  static final String NAMESPACE = "gpu-operator";
  private static final Duration DEFINITIONS_LIMIT = Duration.ofMinutes(1);
  private static final Duration JAVA_LIMIT = Duration.ofSeconds(10);

  /// Installs the custom resource definitions, and returns when they are served.
  void installDefinitions(Path kubeconfig) {
    var command =
        program.commandLine(List.of("manage-crds", "apply", "--kubeconfig=" + kubeconfig));
    try {
      var process =
          new ProcessBuilder(command)
              .redirectError(Redirect.INHERIT)
              .redirectOutput(Redirect.DISCARD)
              .start();
      if (!process.waitFor(DEFINITIONS_LIMIT.toSeconds(), TimeUnit.SECONDS)
          || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new TestbedException("the operator's manage-crds apply failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("run the operator's manage-crds", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while definitions were installed", e);
    }
  }

  /// Starts the operator as its Deployment does; it ends with `directory`.
  OperatorUnderTest start(WorkDirectory directory, Path kubeconfig) {
    return start(
        directory,
        OperatorLaunch.inPod(NAMESPACE, "bench").withArgument("--leader-elect"),
        kubeconfig);
  }

  /// The same as a certain pod has it.
  OperatorUnderTest start(WorkDirectory directory, OperatorLaunch launch, Path kubeconfig) {
    var command = launch.commandLine(program, kubeconfig, OperatorAddresses.free());
    var started = Instant.now();
    var guard = directory.start("operator", command);
    Await.orFail(
        JAVA_LIMIT, "the operator's JVM did not start", () -> guard.process("java").isPresent());
    return new OperatorUnderTest(guard, guard.process("java").orElseThrow().pid(), started);
  }
}
