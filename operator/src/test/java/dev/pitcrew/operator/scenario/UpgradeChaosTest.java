package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// A roll-out of twelve nodes in waves, whose drivers take any time to start and crash at random
/// for a while, beside pods with a disruption budget.
class UpgradeChaosTest extends UpgradeTest {
  private static final int NODES = 12;
  private static final int BUDGET = 3;
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final long seed = Long.getLong("upgrade.seed", new Random().nextInt(1_000_000));

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

  @Test
  void whateverDriversDoTheBudgetHoldsAndEveryNodeEnds() {
    System.out.println("repeat with -Dupgrade.seed=" + seed);
    training.start("trainer", NODES);
    training.loosen("trainer");
    try (var moods = DriverMoods.begin(client, seed)) {
      scene.policy().edit("{\"driver\": {\"version\": \"707.10.01\"}}");
      await("all nodes are done with seed " + seed)
          .atMost(LIMIT)
          .until(() ->
              fleet.drivers().values().stream().allMatch(it -> it.contains("707.10.01"))
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
