package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.compare.Difference;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An operator is killed right after a write, for each sort of write in each phase of a policy's
/// life; the next one brings the cluster to the same end as if nothing had happened.
@WithControlPlane
class KillTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int KILLED = 137;

  private final List<String> hit = new ArrayList<>();
  private final Map<Phase, Queue<String>> left = new EnumMap<>(Phase.class);
  private UndisturbedLife life = new UndisturbedLife(Map.of(), Map.of());
  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(Phase.SCENARIO, controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void whateverWriteWasTheLastTheNextOperatorFinishesTheWork()
      throws IOException, InterruptedException {
    life = UndisturbedLife.lived(scene);
    life.points().forEach((phase, points) -> left.put(phase, new ArrayDeque<>(points)));
    while (remains(Phase.INSTALL) || remains(Phase.DELETE)) {
      live(Phase.INSTALL);
      while (remains(Phase.EDIT) || remains(Phase.RESTORE)) {
        live(Phase.EDIT);
        live(Phase.RESTORE);
      }
      live(Phase.DELETE);
    }
    System.out.println(hit.size() + " kill points were hit:\n" + String.join("\n", hit));
    assertThat(hit).hasSize(life.points().values().stream().mapToInt(List::size).sum());
  }

  private boolean remains(Phase phase) {
    return !pointsLeft(phase).isEmpty();
  }

  private Queue<String> pointsLeft(Phase phase) {
    return left.getOrDefault(phase, new ArrayDeque<>());
  }

  /// One phase with the next of its kill points, or undisturbed when there is none left.
  private void live(Phase phase) throws IOException, InterruptedException {
    var point = Optional.ofNullable(pointsLeft(phase).poll());
    if (point.isPresent()) {
      scene.stopOperators();
      liveKilled(phase, point.get());
      scene.start(Launch.PLAIN);
    } else {
      phase.act(scene);
    }
    assertSameEnd(phase, point.orElse("nothing"));
    phase.end(scene);
  }

  private void liveKilled(Phase phase, String point) throws IOException, InterruptedException {
    var launch = Launch.killedAfter(point);
    if (phase.isFoundAtStart()) {
      phase.act(scene);
    }
    var operator = phase.isFoundAtStart() ? scene.begin(launch) : scene.start(launch);
    if (!phase.isFoundAtStart()) {
      scene.settle();
      phase.act(scene);
    }
    assertThat(operator.awaitEnd(LIMIT))
        .as("%s: an operator that should be killed after %s", phase, point)
        .hasValue(KILLED);
    hit.add(phase + " " + point);
  }

  /// The end is reached, and is one.
  private void assertSameEnd(Phase phase, String point) throws InterruptedException {
    var expected = Objects.requireNonNull(life.facts().get(phase));
    await("facts after %s, killed after %s".formatted(phase, point))
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(250))
        .untilAsserted(() -> assertThat(differences(expected, scene.stage().facts())).isEmpty());
    assertThat(differences(expected, scene.settle())).as("%s, %s, at rest", phase, point).isEmpty();
  }

  private static List<Difference> differences(JsonNode expected, JsonNode actual) {
    return new FactComparison("", IgnoreFile.none()).compare(expected, actual).differences();
  }
}
