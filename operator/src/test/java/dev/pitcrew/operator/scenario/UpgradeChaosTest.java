package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.junit.Soak;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A roll-out of twelve nodes in waves, whose drivers take any time to start and crash at random
/// for a while, beside pods with a disruption budget.
class UpgradeChaosTest extends UpgradeTest {
  private static final int NODES = 12;
  private static final int BUDGET = 3;
  private static final Duration LIMIT = Duration.ofMinutes(4);

  /// The usual run plays the same seed each time.
  private static final long SEED = 707;

  private static final int FRESH_SEEDS = 10;

  @Override
  void enter() throws IOException, InterruptedException {
    fleet.grow(NODES);
    fleet.label(FIRST, "env", "\"staging\"");
    fleet.label(SECOND, "env", "\"staging\"");
    policies.create();
    policies.edit(
        """
        {"agent": {"enabled": false}, "rollout": {"canary": {"nodes": 1, "soakSeconds": 1},
         "waves": [{"name": "staging", "nodeSelector": {"env": "staging"}, "soakSeconds": 1}]}}
        """);
    scene.serve("default-one-gpu-node");
    scene
        .policy()
        .edit(
            "{\"driver\": {\"upgradePolicy\": {\"maxParallelUpgrades\": 0, \"maxUnavailable\": %d}}}"
                .formatted(BUDGET));
    fleet.awaitDone();
  }

  /// That of `-Dupgrade.seed` alone, if it is set.
  static List<Long> seeds() {
    var fresh = new Random().longs(FRESH_SEEDS, 0, 1_000_000).boxed().toList();
    return Optional.ofNullable(Long.getLong("upgrade.seed"))
        .map(List::of)
        .orElseGet(() -> Soak.cases(List.of(SEED), fresh));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whateverDriversDoTheBudgetHoldsAndEveryNodeEnds(long seed) {
    var version = "707." + seed + ".01";
    System.out.println("repeat with -Dupgrade.seed=" + seed);
    training.start("trainer", NODES);
    training.loosen("trainer");
    try (var moods = DriverMoods.begin(client, seed)) {
      scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));
      await("all nodes are done with seed " + seed)
          .atMost(LIMIT)
          .until(() ->
              fleet.drivers().values().stream().allMatch(it -> it.contains(version))
                  && fleet.states().values().stream().allMatch("upgrade-done"::equals));

      System.out.println(
          "%d driver pods started late and %d crashed first; at most %d of %d nodes were out of service"
              .formatted(moods.late(), moods.crashed(), fleet.mostDown(), NODES));
      assertThat(moods.late() + moods.crashed()).isGreaterThanOrEqualTo(NODES);
    }
    assertThat(fleet.mostDown()).as("seed %d", seed).isBetween(1, BUDGET);
    fleet.assertClean();
    training.awaitRunning("trainer", NODES);
  }
}
