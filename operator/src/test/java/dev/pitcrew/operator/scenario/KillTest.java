package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.operator.scenario.Kill.InFlight;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.compare.Difference;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An operator is killed while a write is in flight, for each sort of write in each phase of a
/// policy's life; the next one brings the cluster to the same end as if nothing had happened.
///
/// In `make test` writes that the operator sends side by side are in flight at the same kill, and
/// the operators of one phase are killed one after another before one is left to finish. In `make
/// soak` each write is in flight alone, once to land and once to be lost, and the next operator
/// finishes.
///
/// Its phases are not classes of their own because each needs the life up to it.
@WithControlPlane
class KillTest {
  // Test budget 150 s: each of its 15 kills costs the start of an operator.
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<String> hit = new ArrayList<>();
  private final Map<Phase, Queue<List<Kill>>> left = new EnumMap<>(Phase.class);
  private UndisturbedLife life = new UndisturbedLife(Map.of(), Map.of());
  private Scene scene;
  private OperatorProcess operator;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(Phase.SCENARIO, controlPlane);
    scene.gate();
    operator = scene.start(Launch.PLAIN);
    life = UndisturbedLife.lived(scene);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void theNextOperatorFinishesWhateverWasInFlight() throws IOException, InterruptedException {
    assertThatTheTableIsComplete();
    for (var phase : Phase.values()) {
      left.put(phase, new ArrayDeque<>(Soak.cases(Kill.once(phase), Kill.full(phase, life))));
    }
    while (remains(Phase.INSTALL) || remains(Phase.DELETE)) {
      live(Phase.INSTALL);
      while (remains(Phase.EDIT) || remains(Phase.RESTORE)) {
        live(Phase.EDIT);
        live(Phase.RESTORE);
      }
      live(Phase.DELETE);
    }
    System.out.println("killed with these in flight:\n" + String.join("\n", hit));
  }

  private void assertThatTheTableIsComplete() {
    var softly = new SoftAssertions();
    for (var phase : Phase.values()) {
      softly
          .assertThat(life.writes().getOrDefault(phase, Map.of()).keySet())
          .as("sorts of writes in phase %s", phase)
          .containsExactlyInAnyOrderElementsOf(phase.sorts());
    }
    softly.assertAll();
  }

  private boolean remains(Phase phase) {
    return !Objects.requireNonNull(left.get(phase)).isEmpty();
  }

  /// One phase with the next of its chains of kills, or undisturbed when there is none left.
  private void live(Phase phase) throws IOException, InterruptedException {
    var queue = Objects.requireNonNull(left.get(phase));
    var kills = queue.isEmpty() ? List.<Kill>of() : queue.remove();
    var hasActed = false;
    for (var kill : kills) {
      var held = kill.hold(scene.gate());
      if (hasActed) {
        operator = scene.begin(Launch.PLAIN);
      } else {
        phase.act(scene);
        hasActed = true;
      }
      strike(phase, held);
    }
    if (hasActed) {
      operator = scene.start(Launch.PLAIN);
    } else {
      phase.act(scene);
    }
    assertSameEnd(phase, kills);
  }

  private void strike(Phase phase, List<InFlight> held) throws InterruptedException {
    for (var write : held) {
      write.awaitHeld(LIMIT);
    }
    scene.gate().kill(operator);
    held.forEach(InFlight::decide);
    hit.add(phase + " " + held);
  }

  private void assertSameEnd(Phase phase, List<Kill> kills) {
    var expected = Objects.requireNonNull(life.facts().get(phase));
    phase.awaitEnd(scene);
    await("facts after %s, killed in %s".formatted(phase, kills))
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(differences(expected, scene.settle())).isEmpty());
  }

  private static List<Difference> differences(JsonNode expected, JsonNode actual) {
    return new FactComparison("", IgnoreFile.none()).compare(expected, actual).differences();
  }
}
