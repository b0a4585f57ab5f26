package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `pitcrew rollout` as a user runs it who may only read.
class RolloutCommandTest extends UpgradeTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private RolloutRuns runs;

  @Override
  void enter() throws IOException, InterruptedException {
    policies.create();
    policies.edit(
        """
        {"agent": {"enabled": false}, "rollout": {"canary": {"nodes": 1, "soakSeconds": 10},
         "waves": [{"name": "spare", "nodeSelector": {"kubernetes.io/hostname": "upgraded-3"}, "soakSeconds": 1}]}}
        """);
    install(4);
  }

  @BeforeEach
  void permit() {
    runs = RolloutRuns.ofReader(controlPlane);
  }

  @Test
  void aPlanIsPrintedAndNothingIsChanged() throws IOException, InterruptedException {
    var former = restoredVersion();
    training.start("pinned", 1);
    training.pin("pinned");
    var node = training.pods("pinned").getFirst().getSpec().getNodeName();

    RolloutRuns.Run table = runs.run("plan", "--version", "600.50.01");
    System.out.println(table.text());
    assertThat(table.exitCode()).isZero();
    assertThat(table.text())
        .contains("4 nodes with a driver, 4 of them in this roll-out")
        .contains("held up: node " + node + ": pod default/pinned")
        .contains("PDB pinned-budget allows 0 disruptions")
        .contains("Nothing was changed.");

    var plan =
        JSON.readTree(runs.run("plan", "--version", "600.50.01", "-o", "json").text()).get(0);
    assertThat(plan.at("/plan/0/node").asText()).isEqualTo("upgraded-3");
    assertThat(plan.at("/plan/0/group").asText()).isEqualTo("canary");
    assertThat(plan.at("/plan/0/driver").asText()).isEqualTo(former);
    assertThat(plan.at("/plan/0/wanted").asText()).isEqualTo("600.50.01");
    assertThat(plan.at("/batches").asInt()).isEqualTo(4);
    assertThat(fleet.states().values()).containsOnly("upgrade-done");
    assertThat(fleet.drivers().values()).allMatch(it -> it.contains(former));
    assertThat(runs.run("plan").text()).contains("0 of them in this roll-out");
  }

  @Test
  void aStatusIsWatchedUntilAllIsDone() throws IOException, InterruptedException {
    assertThat(runs.run("status").text()).contains("4 of 4 nodes done");

    scene.policy().edit("{\"driver\": {\"version\": \"600.50.02\"}}");
    RolloutRuns.Run watched = runs.run("status", "--watch");
    System.out.println(watched.text());
    assertThat(watched.exitCode()).isZero();
    assertThat(watched.text())
        .contains("Done")
        .endsWith("4 of 4 nodes done, 0 under way, 0 waiting, 0 failed\n");
    fleet.awaitDriver("600.50.02");
  }

  @Test
  void aRollOutThatIsHaltedIsAnError() throws IOException, InterruptedException {
    scene.policy().edit("{\"driver\": {\"version\": \"666.50.03\"}}");
    fleet.awaitSome("upgrade-failed");

    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> {
          RolloutRuns.Run watched = runs.run("status", "--watch");
          assertThat(watched.exitCode()).isEqualTo(1);
          assertThat(watched.text()).contains("halted: node upgraded-3 failed");
        });
    System.out.println(runs.run("status").text());
    assertThat(runs.run("plan").text()).contains("The roll-out is halted");
    replaceDriver("600.50.05");
  }

  /// Else a script that waits for the end of a roll-out would go on without one.
  @Test
  void watchOfDriversThatAreNotUpgraded_printsTheReason() throws IOException, InterruptedException {
    scene.policy().edit("{\"driver\": {\"upgradePolicy\": {\"autoUpgrade\": false}}}");
    RolloutRuns.Run off = runs.run("status", "--watch");
    System.out.println(off.text());
    assertThat(off.exitCode()).isEqualTo(1);
    assertThat(off.text())
        .contains("does not upgrade automatically (upgradePolicy.autoUpgrade is false)");
    assertThat(runs.run("status").exitCode()).isZero();

    scene
        .policy()
        .edit(
            "{\"driver\": {\"upgradePolicy\": {\"autoUpgrade\": true}}, \"sandboxWorkloads\": {\"enabled\": true}}");
    RolloutRuns.Run sandbox = runs.run("status", "--watch");
    assertThat(sandbox.exitCode()).isEqualTo(1);
    assertThat(sandbox.text()).contains("(sandboxWorkloads.enabled is true)");
  }

  @Test
  void messageOfTheDriverManager_isPrinted() throws IOException, InterruptedException {
    policies.edit("{\"rollout\": {\"preflight\": false}}");
    scene.policy().edit("{\"driver\": {\"version\": \"404.50.04\"}}");
    var node = fleet.awaitSome("pod-restart-required");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> fleet.drivers().getOrDefault(node, "").contains("404.50.04"));

    var words = "module nvidia is wedged (2 references, no holder) on %s: reboot the node";
    kubelets.managerRefuses(node, words.formatted(node));

    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(
            () -> assertThat(runs.run("status").text()).contains("  " + words.formatted(node)));
    System.out.println(runs.run("status").text());
    replaceDriver("600.50.06");
  }
}
