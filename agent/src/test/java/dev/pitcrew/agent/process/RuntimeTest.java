package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent sets up the runtime of a node where no operand restarts it, and undoes that where the
/// operand's label is taken away.
@WithControlPlane
class RuntimeTest {
  private static final String TOOLKIT = "nvidia.com/gpu.deploy.container-toolkit";
  private static final String CONDITION = "RuntimeReady";
  private static final String MAIN = "etc/containerd/config.toml";
  private static final String OURS = "etc/containerd/conf.d/99-pitcrew.toml";
  private static final String TEXT = "# by hand\nversion = 3\n";
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "runtime"],
       "clusterPolicy": {
         "cdi": {"enabled": true}, "gfd": {"enabled": true},
         "toolkit": {"enabled": true, "env": [
           {"name": "RUNTIME", "value": "containerd"}, {"name": "%s", "value": "%s"}]}}}
      """;

  @TempDir private Path folder;
  private final ControlPlane plane;
  private final TestNamespace namespace;
  private RunningAgent agent;

  RuntimeTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.namespace = namespace;
  }

  @BeforeEach
  void prepare() throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    Files.createDirectories(file(MAIN).getParent());
    Files.writeString(file(MAIN), TEXT);
    agent.label(TOOLKIT, "true");
  }

  @AfterEach
  void end() throws IOException {
    plane.client().resource(daemonSet()).delete();
    agent.close();
  }

  @Test
  void theFilesFollowTheLabelAndTheConditionSaysWhoHasToRestartTheRuntime() throws IOException {
    agent.provideDocument(DOCUMENT.formatted("RUNTIME_RESTART_MODE", "none"));
    agent.start();
    awaitCondition("False RuntimeNotRestarted");
    assertThat(agent.message(CONDITION)).contains("restart it (systemctl restart containerd)");
    assertThat(Files.readString(file(OURS))).contains("runtimes.nvidia]", "enable_cdi = true");
    assertThat(Files.readString(file(MAIN))).contains("imports");
    assertThat(agent.gpuNode().at("/status/runtime/name").asText()).isEqualTo("containerd");
    assertThat(agent.gpuNode().at("/status/runtime/nri").asText()).isEqualTo("Absent");

    agent.label(TOOLKIT, "false");
    awaitCondition("");
    assertThat(file(OURS)).doesNotExist();
    assertThat(Files.readString(file(MAIN))).isEqualTo(TEXT);
  }

  @Test
  void theFilesOutliveThePodButNotItsDaemonSet() throws IOException, InterruptedException {
    setUpUnderItsDaemonSet();
    String written = Files.readString(file(OURS));

    agent.leave();
    assertThat(file(OURS)).hasContent(written);

    agent.start();
    awaitCondition("False RuntimeNotRestarted");
    plane.client().resource(daemonSet()).delete();
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(plane.client().resource(daemonSet()).get()).isNull());
    agent.leave();
    assertThat(file(OURS)).doesNotExist();
    assertThat(Files.readString(file(MAIN))).isEqualTo(TEXT);
  }

  @Test
  void leave_withoutProofOfAnUninstall_keepsTheFiles() throws IOException, InterruptedException {
    agent.provideDocument(DOCUMENT.formatted("RUNTIME_RESTART_MODE", "none"));
    agent.start();
    awaitCondition("False RuntimeNotRestarted");
    agent.stop();

    agent.startAlone();
    await().atMost(LIMIT).until(() -> agent.state().settings().isPresent());
    agent.leave();
    assertThat(file(OURS)).exists();
  }

  /// As a token that a kubelet could not renew, or whose signing key was replaced.
  @Test
  void theFilesStayWhereTheTokenIsRefused() throws IOException, InterruptedException {
    setUpUnderItsDaemonSet();
    agent.account().writeToken("not.a.token");
    agent.leave();
    assertThat(file(OURS)).exists();
  }

  @Test
  void theFilesStayWhereTheRightsAreMissing() throws IOException, InterruptedException {
    setUpUnderItsDaemonSet();
    agent.account().revokeRights();
    agent.leave();
    assertThat(file(OURS)).exists();
  }

  /// The garbage collector takes a policy's objects away in any order, and pods last.
  @Test
  void theFilesGoThoughTheAgentsRightsHaveGoneBefore() throws IOException, InterruptedException {
    setUpUnderItsDaemonSet();
    agent.account().revokeRights();
    plane.client().resource(daemonSet()).delete();
    plane.client().configMaps().inNamespace(namespace.name()).withName("pitcrew-agent").delete();
    agent.leave();
    assertThat(file(OURS)).doesNotExist();
    assertThat(Files.readString(file(MAIN))).isEqualTo(TEXT);
  }

  private void setUpUnderItsDaemonSet() throws IOException {
    agent.provideDocument(DOCUMENT.formatted("RUNTIME_RESTART_MODE", "none"));
    plane.client().resource(daemonSet()).create();
    agent.start();
    awaitCondition("False RuntimeNotRestarted");
  }

  @Test
  void aRuntimeThatIsLeftAloneIsNotTouched() throws IOException {
    agent.provideDocument(DOCUMENT.formatted("NO_RUNTIME_CONFIG", "true"));
    agent.start();
    awaitCondition("False NoRuntimeHandler");
    assertThat(agent.message(CONDITION)).contains("spec.toolkit.env[NO_RUNTIME_CONFIG] is true");
    assertThat(Files.readString(file(MAIN))).isEqualTo(TEXT);
    assertThat(file(OURS)).doesNotExist();
  }

  private DaemonSet daemonSet() {
    var labels = Map.of("app", "pitcrew-agent");
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName("pitcrew-agent")
        .withNamespace(namespace.name())
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .addToNodeSelector("absent", "label")
        .addNewContainer()
        .withName("agent")
        .withImage("none")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private Path file(String path) {
    return agent.gpus().hostRoot().resolve(path);
  }

  private void awaitCondition(String wanted) {
    await(wanted)
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(agent.condition(CONDITION)).isEqualTo(wanted));
  }
}
