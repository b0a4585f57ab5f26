package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.HeldWrite;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A leader is stopped while writes of several of its controllers hang in the API server.
@WithControlPlane
class HungEndTest {
  private static final String NODES = "nvidiadriver-two-pools";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// How long each queue waits for work that has begun.
  private static final Duration OF_A_QUEUE = Duration.ofSeconds(5);

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(NODES, controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void itsQueuesCloseTogetherAndTheLeaseIsGivenUp() throws IOException, InterruptedException {
    var gate = scene.gate();
    var operator = scene.start(Launch.replica("replica-1"));
    var policy = scene.policy().create(Scene.scenario("switch-to-nvidiadriver"));
    policy.edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}").awaitReady();
    var driver = new NvidiaDriver(scene.client(), "default").create(",\"default\":true");
    driver.awaitReady();
    scene.settle();

    List<HeldWrite> held =
        List.of(gate.hold("update ClusterPolicy/status"), gate.hold("update NVIDIADriver/status"));
    driver.edit("{\"spec\":{\"version\":\"580.1.1\"}}");
    policy.edit("{\"dcgmExporter\":{\"enabled\":false}}");
    for (HeldWrite write : held) {
      write.awaitHeld(LIMIT);
    }
    assertThat(scene.leadership().holder()).hasValue("replica-1");
    operator.terminate();

    assertThat(operator.awaitEnd(OF_A_QUEUE.multipliedBy(held.size())))
        .as("the end before queues that wait one after the other could have closed")
        .isPresent();
    await()
        .atMost(LIMIT)
        .until(
            () -> scene.leadership().holder().filter(name -> !name.isEmpty()),
            Optional.empty()::equals);
  }
}
