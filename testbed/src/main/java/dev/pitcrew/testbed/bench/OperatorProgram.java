package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The built operator, and how it is called.
///
/// @param folder holds the operator's jar, and `lib/` with what it needs
/// @param jvmFlags what the JVM gets before the class path
record OperatorProgram(Path folder, List<String> jvmFlags) {
  static final String NAMESPACE = "gpu-operator";
  private static final String MAIN = "dev.pitcrew.operator.runtime.Main";
  private static final Duration DEFINITIONS_LIMIT = Duration.ofMinutes(1);
  private static final Duration JAVA_LIMIT = Duration.ofSeconds(10);

  OperatorProgram {
    jvmFlags = List.copyOf(jvmFlags);
  }

  /// Refuses a folder without a built operator.
  void requireBuilt() {
    if (!Files.isDirectory(folder.resolve("lib"))) {
      throw new TestbedException(
          "no operator in %s: build it with mvn -DskipTests package".formatted(folder));
    }
  }

  /// Installs the custom resource definitions, and returns when they are served.
  void installDefinitions(Path kubeconfig) {
    var command = java();
    command.addAll(List.of("manage-crds", "apply", "--kubeconfig=" + kubeconfig));
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
    var command =
        new ArrayList<>(
            List.of(
                "env",
                "OPERATOR_NAMESPACE=" + NAMESPACE,
                "POD_NAME=bench",
                "VALIDATOR_IMAGE=nvcr.io/nvidia/gpu-operator:v26.7.0",
                "DRIVER_MANAGER_IMAGE=nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0"));
    command.addAll(java());
    command.addAll(
        List.of(
            "operator",
            "--kubeconfig=" + kubeconfig,
            "--leader-elect",
            "--metrics-bind-address=127.0.0.1:0",
            "--health-probe-bind-address=127.0.0.1:0"));
    var started = Instant.now();
    var guard = directory.start("operator", command);
    Await.orFail(
        JAVA_LIMIT, "the operator's JVM did not start", () -> guard.process("java").isPresent());
    return new OperatorUnderTest(guard, guard.process("java").orElseThrow().pid(), started);
  }

  private ArrayList<String> java() {
    var classPath = folder.toAbsolutePath() + "/*:" + folder.toAbsolutePath() + "/lib/*";
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", classPath, MAIN));
    return command;
  }
}
