package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `pitcrew rollout` as a user runs it who may only read.
@WithControlPlane
class RolloutCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String READER = "rollout-reader";

  private final ControlPlane controlPlane;
  private Scene scene;
  private FleetPolicies policies;
  private UpgradeFleet fleet;
  private Path account;

  /// @param kwok runs the pods of the simulated nodes
  RolloutCommandTest(ControlPlane controlPlane, SimulatedNodes kwok) {
    this.controlPlane = controlPlane;
    this.account = controlPlane.kubeconfigFile();
  }

  @BeforeEach
  void enter() throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
    fleet = UpgradeFleet.create(controlPlane.client(), 4);
    policies = new FleetPolicies(controlPlane.client());
    policies.create();
    policies.edit(
        """
        {"agent": {"enabled": false}, "rollout": {"canary": {"nodes": 1, "soakSeconds": 10},
         "waves": [{"name": "spare", "nodeSelector": {"kubernetes.io/hostname": "upgraded-3"}, "soakSeconds": 1}]}}
        """);
    scene.install("default-one-gpu-node");
    fleet.awaitDone();
    account = reader();
  }

  @AfterEach
  void leave() {
    policies.delete();
    fleet.close();
    scene.close();
  }

  @Test
  void aPlanIsPrintedAndNothingIsChanged() throws IOException, InterruptedException {
    fleet.train("pinned", 1);
    fleet.pin("pinned");
    var node = fleet.pods("pinned").getFirst().getSpec().getNodeName();

    Run table = run("plan", "--version", "600.50.01");
    System.out.println(table.text());
    assertThat(table.exitCode()).isZero();
    assertThat(table.text())
        .contains("4 nodes with a driver, 4 of them in this roll-out")
        .contains("held up: node " + node + ": pod default/pinned")
        .contains("PDB pinned-budget allows 0 disruptions")
        .contains("Nothing was changed.");

    var plan = JSON.readTree(run("plan", "--version", "600.50.01", "-o", "json").text()).get(0);
    assertThat(plan.at("/plan/0/node").asText()).isEqualTo("upgraded-3");
    assertThat(plan.at("/plan/0/group").asText()).isEqualTo("canary");
    assertThat(plan.at("/plan/0/driver").asText()).isEqualTo("595.91.07");
    assertThat(plan.at("/plan/0/wanted").asText()).isEqualTo("600.50.01");
    assertThat(plan.at("/batches").asInt()).isEqualTo(4);
    assertThat(fleet.states().values()).containsOnly("upgrade-done");
    assertThat(fleet.drivers().values()).allMatch(it -> it.contains("595.91.07"));
    assertThat(run("plan").text()).contains("0 of them in this roll-out");
  }

  @Test
  void aStatusIsWatchedUntilAllIsDone() throws IOException, InterruptedException {
    assertThat(run("status").text()).contains("4 of 4 nodes done");

    scene.policy().edit("{\"driver\": {\"version\": \"600.50.02\"}}");
    Run watched = run("status", "--watch");
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
          Run watched = run("status", "--watch");
          assertThat(watched.exitCode()).isEqualTo(1);
          assertThat(watched.text()).contains("halted: node upgraded-3 failed");
        });
    System.out.println(run("status").text());
    assertThat(run("plan").text()).contains("The roll-out is halted");
  }

  @Test
  void theDriverManagerIsHeard() throws IOException, InterruptedException {
    policies.edit("{\"rollout\": {\"preflight\": false}}");
    scene.policy().edit("{\"driver\": {\"version\": \"404.50.04\"}}");
    var node = fleet.awaitSome("pod-restart-required");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> fleet.drivers().getOrDefault(node, "").contains("404.50.04"));

    var words = "module nvidia is wedged (2 references, no holder) on %s: reboot the node";
    fleet.managerRefuses(node, words.formatted(node));

    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(
            () -> assertThat(run("status").text()).contains("  " + words.formatted(node)));
    System.out.println(run("status").text());
  }

  private record Run(int exitCode, String text) {}

  /// As users run it: another process, with an account that may write nothing.
  private Run run(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "dev.pitcrew.operator.runtime.Main",
            "rollout"));
    command.addAll(List.of(arguments));
    command.add("--kubeconfig=" + account);
    Path output = Files.createTempFile("rollout-", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectErrorStream(true)
            .start();
    assertThat(process.waitFor(UpgradeFleet.LIMIT.toSeconds(), TimeUnit.SECONDS))
        .as("%s ends", command)
        .isTrue();
    return new Run(process.exitValue(), Files.readString(output));
  }

  private Path reader() {
    var client = controlPlane.client();
    client
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(READER)
                .endMetadata()
                .addNewRule()
                .withApiGroups("", "apps", "policy", "nvidia.com", "pitcrew.dev", "resource.k8s.io")
                .withResources("*")
                .withVerbs("get", "list", "watch")
                .endRule()
                .build())
        .serverSideApply();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(READER)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", READER)
                .addNewSubject("rbac.authorization.k8s.io", "User", READER, null)
                .build())
        .serverSideApply();
    return controlPlane.kubeconfigForUser(READER);
  }
}
