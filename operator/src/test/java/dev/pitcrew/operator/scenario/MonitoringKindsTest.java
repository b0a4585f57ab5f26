package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The kinds of the Prometheus operator come, go and come again while the operator runs.
@WithControlPlane
class MonitoringKindsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final List<String> DEFINITIONS =
      List.of("servicemonitors.monitoring.coreos.com", "prometheusrules.monitoring.coreos.com");

  /// Some writes meet a kind that is just going, each at most a few times before it is gone.
  private static final int FEW = 20;

  private static final int ROUNDS = Soak.amount(2, 3);
  private static final int FIRST_FAILURE = 400;

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of("default-one-gpu-node", controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void serviceMonitorsFollowTheirKind() throws IOException, InterruptedException {
    scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario("monitoring")).awaitState("ready", LIMIT);
    assertThat(serviceMonitors()).isEmpty();

    for (var round = 0; round < ROUNDS; round++) {
      scene.stage().enterInput(Scene.scenario("monitoring"));
      await().atMost(LIMIT).until(() -> serviceMonitors().size() == 3);
      scene.policy().awaitState("ready", LIMIT);

      var removal = Instant.now();
      DEFINITIONS.forEach(this::remove);
      scene.settle();

      assertThat(scene.policy().state()).isEqualTo("ready");
      assertThat(serviceMonitors()).isEmpty();
      assertThat(failures(removal)).hasSizeLessThan(FEW);
    }
  }

  private void remove(String definition) {
    definition(definition).delete();
    definition(definition).waitUntilCondition(Objects::isNull, LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private Resource<CustomResourceDefinition> definition(String name) {
    return scene.client().apiextensions().v1().customResourceDefinitions().withName(name);
  }

  private List<String> serviceMonitors() {
    return scene.stage().facts().properties().stream()
        .map(Map.Entry::getKey)
        .filter(name -> name.startsWith("ServiceMonitor/"))
        .toList();
  }

  /// The calls of the operator that came to nothing.
  private List<String> failures(Instant begin) {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> !request.received().isBefore(begin))
        .filter(request -> request.status() >= FIRST_FAILURE)
        .map(request -> request.verb() + " " + request.resource() + " " + request.status())
        .toList();
  }
}
