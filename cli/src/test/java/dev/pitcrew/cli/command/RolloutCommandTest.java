package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.HOSTILE;
import static dev.pitcrew.cli.command.PluginCluster.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.cli.command.PluginCluster.Running;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.image.BuiltImage;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.operator.OperatorProgram;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `kubectl gpu rollout` with the real kubectl, against a real API server.
@WithControlPlane
class RolloutCommandTest {
  // Test budget 90 s: each command is a JVM of its own with several kubectl.
  private static final String FORMER = "595.91.07";
  private static final String WANTED = RolloutScene.WANTED;

  private final PluginCluster cluster;
  private final RolloutScene scene;
  private final KubernetesClient client;
  private final ControlPlane plane;
  private final String namespace;

  @TempDir Path folder;

  RolloutCommandTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.cluster = new PluginCluster(plane);
    this.client = plane.client();
    this.namespace = namespace.name();
    this.scene = new RolloutScene(cluster, client, namespace.name());
  }

  @BeforeEach
  void define() {
    scene.define();
  }

  /// The tests share the namespace.
  @AfterEach
  void clear() {
    scene.clear();
  }

  @Test
  void status_showsWhatTheOperatorHasWritten_andWhoHasNotBegun() {
    scene.node("gpu-1", WANTED, "phase: Done");
    scene.node(
        "gpu-2",
        FORMER,
        "phase: Drain, blocker: \"%s\", deadline: '2026-11-30T05:24:07Z'".formatted(HOSTILE));
    scene.node("gpu-3", FORMER, "phase: Done");

    Run status = cluster.run("rollout", "status");

    status.assertFits();
    assertThat(status.code()).isEqualTo(ExitCodes.OK);
    assertThat(status.text())
        .contains(
            "ClusterPolicy cluster-policy: 1 of 3 nodes done, 1 under way, 1 waiting, 0 failed",
            FORMER + " to " + WANTED);
    assertThat(status.out()).containsPattern("gpu-2 +Drain").containsPattern("gpu-3 +Pending");
    cluster.run("rollout", "status", "-o", "wide").assertFits();
    assertThat(cluster.run("rollout", "status", "-o", "name").out())
        .isEqualTo("node/gpu-2\nnode/gpu-3\n");
    assertThat(cluster.run("rollout", "status", "-o", "json").out())
        .contains("\"end\": \"NONE\"", "\"wanted\": \"" + WANTED + "\"");
  }

  @Test
  void nodeThatFailedAlone_isAProblem_andPoliciesThatDoNotUpgradeAreNamed() {
    scene.node("gpu-1", WANTED, "phase: Failed, blocker: the driver pod was restarted 11 times");

    Run status = cluster.run("rollout", "status", "-w");

    assertThat(status.code()).as(status.err()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(status.text()).contains("1 failed", "kubectl gpu explain node gpu-1");
    scene.patchPolicy("{\"spec\":{\"driver\":{\"upgradePolicy\":{\"autoUpgrade\":false}}}}");
    assertThat(cluster.run("rollout", "status"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.OK))
        .satisfies(it -> assertThat(it.err()).contains("(upgradePolicy.autoUpgrade is false)"));
    assertThat(cluster.run("rollout", "status", "-w").code()).isEqualTo(ExitCodes.PROBLEM);
  }

  @Test
  void watch_endsWhenAllIsDone() {
    scene.node("gpu-1", WANTED, "phase: Validate");

    Running watch = cluster.start("rollout", "status", "-w");
    await().atMost(LIMIT).until(() -> watch.printed().contains("Validate"));
    scene.rollout("gpu-1", "{\"phase\":\"Done\"}");
    Run run = watch.end();

    assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.OK);
    assertThat(run.out()).containsPattern("gpu-1 +Done");
    assertThat(run.text()).endsWith("1 of 1 nodes done, 0 under way, 0 waiting, 0 failed ");
  }

  @Test
  void watchThatIsInterrupted_leavesTheRollOut() throws IOException, InterruptedException {
    scene.node("gpu-1", WANTED, "phase: Validate");
    Running watch = cluster.start("rollout", "status", "-w");
    await().atMost(LIMIT).until(() -> watch.printed().contains("Validate"));

    new ProcessBuilder("kill", "-INT", String.valueOf(watch.process().pid())).start().waitFor();
    Run run = watch.end();

    assertThat(run.code()).isEqualTo(ExitCodes.INTERRUPTED);
    assertThat(run.text()).contains("the roll-out goes on", "kubectl gpu rollout pause");
  }

  @Test
  void pauseAndResume_setOneField_andADryRunNone() {
    scene.node("gpu-1", WANTED, "phase: Validate");
    String before = scene.fleet().getMetadata().getResourceVersion();

    Run dry = cluster.run("rollout", "pause", "--dry-run=server");
    assertThat(dry.code()).as(dry.err()).isEqualTo(ExitCodes.OK);
    assertThat(dry.text()).contains("would be changed:", "nothing is changed");
    assertThat(scene.fleet().getMetadata().getResourceVersion()).isEqualTo(before);

    Run pause = cluster.run("rollout", "pause");
    pause.assertFits();
    assertThat(pause.text())
        .contains(
            "FleetPolicy fleet: spec.rollout.paused is true",
            "1 under way are finished: gpu-1",
            "had no section spec.rollout",
            "To take it back: kubectl gpu rollout resume");
    assertThat(scene.fleet().<Boolean>get("spec", "rollout", "paused")).isTrue();
    assertThat(scene.fleet().getMetadata().getManagedFields())
        .anyMatch(it -> it.getManager().equals("kubectl-gpu"));
    assertThat(cluster.run("rollout", "pause").text()).contains("paused already");

    assertThat(cluster.run("rollout", "resume").code()).isEqualTo(ExitCodes.OK);
    assertThat(scene.fleet().<Boolean>get("spec", "rollout", "paused")).isFalse();
    assertThat(cluster.run("rollout", "resume").text()).contains("is not paused");
  }

  @Test
  void marksOfNodes_areForThoseThatAreMeant() {
    scene.node("gpu-1", WANTED, "phase: Failed, blocker: crashed");
    scene.node("gpu-2", WANTED, "phase: Done");

    assertThat(cluster.run("rollout", "retry", "gpu-3"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("Did you mean gpu-1 or gpu-2?"));
    assertThat(cluster.run("rollout", "retry", "gpu-2"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("gpu-2 has not failed", "at Done"));
    Run retry = cluster.run("rollout", "retry", "gpu-1");
    retry.assertFits();
    assertThat(retry.text())
        .contains(
            "had failed: crashed",
            "kubectl annotate node gpu-1 nvidia.com/gpu-driver-upgrade-requested-");
    assertThat(scene.annotations("gpu-1")).contains("nvidia.com/gpu-driver-upgrade-requested=true");

    Run skip = cluster.run("rollout", "skip", "node/gpu-2");
    assertThat(skip.code()).isEqualTo(ExitCodes.OK);
    assertThat(client.nodes().withName("gpu-2").get().getMetadata().getLabels())
        .containsEntry("nvidia.com/gpu-driver-upgrade.skip", "true");
    assertThat(cluster.run("rollout", "skip", "gpu-2").text()).contains("left out already");
  }

  @Test
  void withoutTheRightToWrite_theRuleIsNamed() {
    scene.node("gpu-1", WANTED, "phase: Failed");
    cluster.grant(
        "half",
        "{apiGroups: [pitcrew.dev], resources: [gpunodes, fleetpolicies], verbs: [get, list]}, {apiGroups: [''], resources: [nodes], verbs: [get]}");

    assertThat(cluster.run("rollout", "retry", "gpu-1", "--as", "half"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it ->
            assertThat(it.text())
                .contains("half may not patch nodes", "--verb=get,patch --resource=nodes"));
    assertThat(cluster.run("rollout", "pause", "--as", "half"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.text()).contains("fleetpolicies.pitcrew.dev"));
    assertThat(scene.annotations("gpu-1")).isEmpty();
  }

  @Test
  void undo_asksForTheFormerVersion() {
    assertThat(cluster.run("rollout", "undo"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(
            it -> assertThat(it.text()).contains("no former version of the driver is known"));
    scene.patchPolicy("{\"spec\":{\"driver\":{\"version\":\"610.01\"}}}");
    scene.daemonSet("610.01");
    await()
        .atMost(LIMIT)
        .until(() ->
            client.apps().controllerRevisions().inNamespace(namespace).list().getItems().size()
                > 1);

    Run undo = cluster.run("rollout", "undo");

    undo.assertFits();
    assertThat(undo.text())
        .contains(
            "spec.driver.version is %s; it was 610.01".formatted(WANTED),
            "kubectl patch clusterpolicy cluster-policy --type=merge");
    assertThat(scene.policy().<String>get("spec", "driver", "version")).isEqualTo(WANTED);
  }

  /// There is no kubelet, so a script in the place of kubectl runs the operator's program here
  /// instead of in its pod; it reads the same API server.
  @Test
  void plan_isThatOfTheOperatorsProgram() throws IOException {
    scene.node("gpu-1", FORMER, "phase: Pending");
    scene.node("gpu-2", WANTED, "phase: Done");
    List<String> program =
        BuiltImage.ofTests()
            .map(OperatorProgram::of)
            .orElseGet(() -> OperatorProgram.in(Path.of("../operator/target").toAbsolutePath()))
            .commandLine(List.of());
    Path script =
        Files.writeString(
            folder.resolve("kubectl"),
            """
            #!/bin/sh
            [ "$1" = exec ] || exec %s "$@"
            while [ "$1" != -- ]; do shift; done
            shift 2
            exec %s "$@" --namespace=%s --kubeconfig=%s
            """
                .formatted(
                    cluster.kubectl(),
                    String.join(" ", program),
                    namespace,
                    plane.kubeconfigFile()));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));

    Run plan = cluster.start(script, "rollout", "plan", "-n", namespace).end();

    plan.assertFits();
    assertThat(plan.code()).isEqualTo(ExitCodes.OK);
    assertThat(plan.text())
        .contains("2 nodes with a driver, 1 of them in this roll-out", "Nothing was changed.");
    assertThat(plan.out()).containsPattern("1 +gpu-1 .*" + WANTED);
    Run wrong =
        cluster.start(script, "rollout", "plan", "-n", namespace, "--nvidia-driver", "x").end();
    assertThat(wrong.code()).isEqualTo(ExitCodes.UNREACHABLE);
    assertThat(wrong.text()).contains("There is no NVIDIADriver x");
    assertThat(cluster.run("rollout", "plan").text()).contains("no Deployment gpu-operator");
  }
}
