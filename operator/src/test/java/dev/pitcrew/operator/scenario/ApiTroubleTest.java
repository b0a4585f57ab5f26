package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The API server goes away and comes back, and so do replicas of the operator.
@WithControlPlane
class ApiTroubleTest {
  private static final String SCENARIO = "default-one-gpu-node";

  private static final Duration OUTAGE = Duration.ofSeconds(Soak.amount(4, 600));

  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// Kubernetes' own controllers and the simulated nodes back off from an API server that was away;
  /// a minute was seen, and pods come from them.
  private static final Duration WITH_CONTROLLERS = Duration.ofMinutes(5);

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void afterAnOutageItFollowsThePolicyAgain() throws IOException, InterruptedException {
    var operator = scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario(SCENARIO)).awaitState("ready", WITH_CONTROLLERS);

    scene.controlPlane().stopApiServer();
    assertThat(operator.awaitEnd(OUTAGE)).as("exit status during the outage").isEmpty();
    scene.controlPlane().startApiServer();
    scene.policy().edit("{\"dcgmExporter\":{\"enabled\":false}}");

    await()
        .atMost(WITH_CONTROLLERS)
        .until(() -> !scene.workloads().versions().containsKey("nvidia-dcgm-exporter"));
    scene.policy().awaitState("ready", WITH_CONTROLLERS);

    // With pods again, so that the next test on this control plane finds all of it running.
    scene.policy().edit("{\"dcgmExporter\":{\"enabled\":true}}");
    scene.policy().awaitState("ready", WITH_CONTROLLERS);
  }

  @Test
  void aKilledLeaderIsFollowedByAnotherReplica() throws IOException, InterruptedException {
    var leader = leadingReplica("replica-1");
    scene.policy().create(Scene.scenario(SCENARIO)).awaitState("ready", WITH_CONTROLLERS);
    scene.start(Launch.replica("replica-2"));

    leader.kill();
    scene.policy().edit("{\"dcgmExporter\":{\"enabled\":false}}");

    scene.leadership().awaitHolder("replica-2", LIMIT);
    scene.policy().awaitState("ready", WITH_CONTROLLERS);
    assertThat(scene.workloads().versions()).doesNotContainKey("nvidia-dcgm-exporter");
  }

  @Test
  void aLeaderThatIsStoppedGivesTheLeaseUp() throws IOException, InterruptedException {
    var leader = leadingReplica("replica-1");

    leader.close();

    assertThat(scene.leadership().holder()).as("holder after the leader's end").isEmpty();
  }

  private OperatorProcess leadingReplica(String name) throws IOException, InterruptedException {
    var operator = scene.start(Launch.replica(name));
    scene.leadership().awaitHolder(name, LIMIT);
    return operator;
  }
}
