package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A leader stands still for longer than its lease, as on a machine that swaps, and wakes up when
/// another one leads.
@WithControlPlane
class PausedLeaderTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// Of a process that has lost its lease.
  private static final int LOST_LEASE = 1;

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
  void aLeaderThatSleptThroughItsLeaseEndsWithoutAWrite() throws IOException, InterruptedException {
    var sleeper = scene.startAs("sleeper", Launch.replica("replica-1"));
    scene.leadership().awaitHolder("replica-1", LIMIT);
    scene.policy().create(Scene.scenario(SCENARIO)).awaitState("ready", LIMIT);
    scene.start(Launch.replica("replica-2"));
    assertThat(writesOf("sleeper", Instant.EPOCH)).isNotEmpty();

    sleeper.pause();
    scene.policy().edit("{\"dcgmExporter\":{\"enabled\":false}}");
    scene.leadership().awaitHolder("replica-2", LIMIT);
    scene.policy().awaitState("ready", LIMIT);
    var changed = scene.workloads().versions();
    var woken = Instant.now();
    sleeper.resume();

    assertThat(sleeper.awaitEnd(LIMIT)).hasValue(LOST_LEASE);
    assertThat(writesOf("sleeper", woken)).isEmpty();
    scene.settle();
    assertThat(scene.workloads().versions()).isEqualTo(changed);
  }

  /// But for its attempts to renew the lease.
  private List<Request> writesOf(String user, Instant begin) {
    return scene.controlPlane().auditLog().requestsOf(user).stream()
        .filter(request -> !request.received().isBefore(begin) && request.isMutating())
        .filter(request -> !request.resource().equals("coordination.k8s.io/leases"))
        .toList();
  }
}
