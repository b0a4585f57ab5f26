package dev.pitcrew.operator.scenario;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Overload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The API server has no room for the operator for a while and answers 429.
@WithControlPlane
class StormTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final List<String> SWITCHED_OFF =
      List.of("dcgmExporter", "gfd", "migManager", "nodeStatusExporter");
  private static final List<String> GONE =
      List.of(
          "nvidia-dcgm-exporter",
          "gpu-feature-discovery",
          "nvidia-mig-manager",
          "nvidia-node-status-exporter");
  private static final Duration STORM = Duration.ofSeconds(Soak.amount(5, 120));
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// Eight writers of objects, and those of the status, of events and of the node, each of which
  /// calls four times in 0.2 + 0.4 + 0.8 s at the fastest. A slow machine only makes them slower.
  private static final long WRITES_A_SECOND = 11 * 4 * 10 / 14;

  /// The same for the caches of twenty kinds, which pause ever longer after that.
  private static final long READS_A_SECOND = 20 * 4 * 10 / 14;

  private static final int TOO_MANY_REQUESTS = 429;

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
  void refusedWritesAreTriedAgainInMeasureAndNoneIsLost() throws IOException, InterruptedException {
    var operator = scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario(SCENARIO)).awaitState("ready", LIMIT);

    var begin = Instant.now();
    try (var _ = Overload.ofWrites(scene.controlPlane(), OperatorWrites.USER)) {
      switchOff();
      assertThat(operator.awaitEnd(STORM)).as("exit status in the storm").isEmpty();
    }
    var seconds = Duration.between(begin, Instant.now()).toSeconds() + 1;

    assertThat(refused(begin)).isBetween(1L, WRITES_A_SECOND * seconds);
    awaitSwitchedOff();
    scene.policy().awaitState("ready", LIMIT);
  }

  @Test
  void anOperatorThatStartsWhileEverythingIsRefusedWorksAfterwards()
      throws IOException, InterruptedException {
    scene.policy().create(Scene.scenario(SCENARIO));
    var begin = Instant.now();
    try (var _ = Overload.of(scene.controlPlane(), OperatorWrites.USER)) {
      assertThat(scene.begin(Launch.PLAIN).awaitEnd(STORM)).as("exit in the storm").isEmpty();
    }
    var seconds = Duration.between(begin, Instant.now()).toSeconds() + 1;

    assertThat(refused(begin)).isBetween(1L, READS_A_SECOND * seconds);
    scene.policy().awaitState("ready", LIMIT);
  }

  private long refused(Instant begin) {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> !request.received().isBefore(begin))
        .filter(request -> request.status() == TOO_MANY_REQUESTS)
        .count();
  }

  private void switchOff() {
    var off = "\"%s\":{\"enabled\":false}";
    scene.policy().edit(SWITCHED_OFF.stream().map(off::formatted).collect(joining(",", "{", "}")));
  }

  private void awaitSwitchedOff() {
    await("end of what is switched off")
        .atMost(LIMIT)
        .until(() -> Collections.disjoint(scene.workloads().versions().keySet(), GONE));
  }
}
