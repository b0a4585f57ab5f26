package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The operator under the restrictions that the chart puts on its pod.
@EnabledOnOs(OS.LINUX)
@WithControlPlane
class OperatorStartTest {
  private static final String NAMESPACE = "gpu-operator";
  @TempDir Path folder;

  @Test
  void operator_startsAsAnUnprivilegedUserOnAReadOnlyRoot(ControlPlane cluster) throws IOException {
    assumeTrue(ImageUnderTest.container().isPossible(), "needs root or user namespaces");
    Chart.withBuiltImage(ImageUnderTest.build().repository().chart())
        .install(
            cluster.kubeconfigFile(), new Chart.ReleaseName(NAMESPACE, NAMESPACE), Values.DEFAULTS);
    var shared = Files.createDirectory(folder.resolve("shared"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    var kubeconfig =
        Files.copy(cluster.kubeconfigFor(NAMESPACE, NAMESPACE), shared.resolve("kubeconfig"));
    Files.setPosixFilePermissions(kubeconfig, PosixFilePermissions.fromString("rw-r--r--"));
    var container =
        ImageUnderTest.container()
            .restricted()
            .withMount("/run/shared", shared)
            .withVariable("OPERATOR_NAMESPACE", NAMESPACE)
            .withVariable("POD_NAME", "test");
    var log = folder.resolve("log");

    try (var run = TrainingRun.start(container, operator(), log)) {
      run.await("the operator's lead", () -> text(log).contains("test leads"));
      run.end();
    }
    assertThat(text(log)).contains("\"aotCache\":\"/opt/pitcrew/aot/operator-");
  }

  private static List<String> operator() {
    return List.of(
        "operator",
        "--leader-elect",
        "--kubeconfig=/run/shared/kubeconfig",
        "--metrics-bind-address=127.0.0.1:0",
        "--health-probe-bind-address=127.0.0.1:0");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
