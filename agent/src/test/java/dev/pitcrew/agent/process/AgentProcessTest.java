package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent between a real API server, simulated GPUs and a kubelet's sockets.
@WithControlPlane
class AgentProcessTest {
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String REPLICAS = "nvidia.com/gpu.replicas";
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration OBSERVED = Duration.ofSeconds(5);

  private ControlPlane plane;
  private RunningAgent agent;
  private TestKubelet kubelet;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    this.plane = plane;
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    kubelet = agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void aNodeIsOfferedLabelledAndReported() throws Exception {
    agent.start();

    assertThat(kubelet.nextRegistration().getResourceName()).isEqualTo("nvidia.com/gpu");
    awaitReady();
    assertThat(agent.labels())
        .containsEntry(COUNT, "4")
        .containsEntry("feature.node.kubernetes.io/pci-10de.present", "true");
    assertThat(agent.gpuNode().at("/status/gpus")).hasSize(4);
    assertThat(agent.condition("DevicesAdvertised")).isEqualTo("True DevicesAdvertised");
    assertThat(agent.gpuNode().at("/status/agent").toString())
        .isEqualTo(
            """
            {"functions":["labels","devicePlugin"],"pod":"agent-pod"}\
            """);
  }

  @Test
  void anEditOfTheConfigurationIsInForceAtOnceAndAMistakeIsNot() throws Exception {
    agent.start();
    awaitReady();

    agent.configure(timeSlicing("4"));
    awaitLabel(REPLICAS, "4");
    await().atMost(LIMIT).until(() -> agent.gpuNode().at("/status/sharing/replicas").asInt() == 4);

    agent.configure(timeSlicing("0"));
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(events()).anyMatch(event -> event.startsWith("ConfigurationInvalid")));
    assertThat(agent.labels()).containsEntry(REPLICAS, "4");
    assertThat(agent.condition("Ready")).startsWith("True");
  }

  @Test
  void labelsOfTheOperatorSwitchFunctionsOffAndOn() throws Exception {
    agent.start();
    awaitReady();

    agent.label("nvidia.com/gpu.deploy.gpu-feature-discovery", "false");
    await().atMost(LIMIT).until(() -> !agent.labels().containsKey(COUNT));
    agent.label("nvidia.com/gpu.deploy.device-plugin", "false");
    await().atMost(LIMIT).until(() -> agent.condition("DevicesAdvertised").isEmpty());

    agent.label("nvidia.com/gpu.deploy.gpu-feature-discovery", "true");
    agent.label("nvidia.com/gpu.deploy.device-plugin", "true");
    awaitLabel(COUNT, "4");
    awaitReady();
  }

  @Test
  void aDriverThatIsTakenOverGetsTheDigestThatItIsLookedForBy() throws Exception {
    Path digest = agent.gpus().hostRoot().resolve("run/nvidia/nvidia-driver.state");
    Files.createDirectories(digest.getParent());
    Files.writeString(digest, "1735021\n");
    agent.label(NodeLabels.DRIVER_OWNER, "training");
    agent.start();
    awaitReady();
    assertThat(digest).hasContent("1735021\n");

    agent.annotate(SameDriver.ANNOTATION, "1735021=99");

    await().atMost(LIMIT).untilAsserted(() -> assertThat(digest).hasContent("99\n"));
  }

  @Test
  void aDriverThatGoesTakesNoLabelAlong() throws Exception {
    agent.start();
    awaitReady();

    agent.gpus().unloadDriver();
    await().atMost(LIMIT).until(() -> agent.condition("DriverReady").startsWith("False"));
    assertThat(agent.labels()).containsEntry(COUNT, "4");

    agent.gpus().loadDriver();
    awaitReady();
  }

  @Test
  void restart_writesNothing_andIdleAgent_callsNoApi() throws Exception {
    agent.start();
    awaitReady();
    String gpuNode = settledVersion();
    agent.stop();
    int before = calls().size();

    agent.start();
    kubelet.nextRegistration();
    kubelet.nextRegistration();
    await().pollDelay(OBSERVED).until(() -> true);
    int calls = calls().size();
    await().pollDelay(OBSERVED).until(() -> true);

    assertThat(calls().subList(calls, calls().size())).isEmpty();
    assertThat(calls().subList(before, calls)).noneMatch(AuditLog.Request::isMutating);
    assertThat(version()).isEqualTo(gpuNode);
  }

  @Test
  void withoutAnApiServerANodeGoesOnFromItsOwnMemory() throws Exception {
    agent.start();
    awaitReady();
    agent.stop();
    kubelet.nextRegistration();

    agent.startAlone();

    assertThat(kubelet.nextRegistration().getResourceName()).isEqualTo("nvidia.com/gpu");
  }

  /// Of the GPUNode, once the agent has said all that it has to say.
  private String settledVersion() {
    var last = new AtomicReference<>("");
    await()
        .during(OBSERVED)
        .atMost(LIMIT)
        .until(() -> {
          String now = version();
          return now.equals(last.getAndSet(now));
        });
    return last.get();
  }

  private String version() {
    return agent.gpuNode().at("/metadata/resourceVersion").asText();
  }

  private void awaitReady() {
    await().atMost(LIMIT).until(() -> agent.condition("Ready"), "True Ready"::equals);
  }

  private void awaitLabel(String key, String value) {
    await().atMost(LIMIT).until(() -> value.equals(agent.labels().get(key)));
  }

  private List<String> events() {
    return agent.events().stream()
        .map(event -> event.getReason() + ": " + event.getNote())
        .toList();
  }

  private List<AuditLog.Request> calls() {
    return plane.auditLog().requestsOf(agent.user());
  }

  private static String timeSlicing(String replicas) {
    return """
    version: v1
    sharing:
      timeSlicing:
        resources:
        - name: nvidia.com/gpu
          replicas: %s
    """
        .formatted(replicas);
  }
}
