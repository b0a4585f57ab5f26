package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An admission policy of the cluster refuses what an NVIDIADriver needs: it says so in the API
/// server's words, and what was refused is retried automatically.
@WithControlPlane
class DriverRefusalTest {
  private static final int FORBIDDEN = 403;
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private Scene scene;
  private DriverPods drivers;
  private NvidiaDriver driver;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of("nvidiadriver-two-pools", controlPlane);
    drivers = new DriverPods(scene.client());
    driver = new NvidiaDriver(scene.client(), "default");
    scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario("switch-to-nvidiadriver")).awaitReady();
    scene.settle();
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void podsThatMayNotBeLabelledAreTakenOverOnceTheyMay() {
    var uids = drivers.uids();
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    await().atMost(LIMIT).until(() -> drivers.daemonSets().isEmpty());

    try (var _ = refuse("pods", "!object.metadata.name.startsWith('nvidia-driver')", pod())) {
      driver.create(",\"default\":true");
      driver.awaitError("DriverNotReady", "refused to label pod");
      var before = refusedPatches();
      // What is not ready is looked at once more after a while.
      await().atMost(LIMIT).until(() -> refusedPatches() > before);
      assertThat(drivers.daemonSets()).isEmpty();
    }

    driver.awaitReady();
    assertThat(drivers.uids()).isEqualTo(uids);
  }

  @Test
  void refusedSharedObject_isReportedAndRetried() {
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    var name = "nvidia-driver-startup-probe";
    try (var _ = refuse("configmaps", "object.metadata.name != '%s'".formatted(name), map(name))) {
      driver.create(",\"default\":true");
      driver.awaitError("ReconcileFailed", name);
    }

    driver.awaitReady();
  }

  private long refusedPatches() {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> request.verb().equals("patch") && request.resource().equals("pods"))
        .filter(request -> request.status() == FORBIDDEN)
        .count();
  }

  private AdmissionPolicy refuse(String resource, String expression, HasMetadata refused) {
    return AdmissionPolicy.refuse(scene, "", resource, expression, refused);
  }

  private static HasMetadata map(String name) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .build();
  }

  private static HasMetadata pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withName("nvidia-driver-probe")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("probe")
        .withImage("probe")
        .endContainer()
        .endSpec()
        .build();
  }
}
