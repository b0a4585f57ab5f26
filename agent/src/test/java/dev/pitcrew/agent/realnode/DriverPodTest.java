package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.node.GpuPod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A driver's pod comes again on a node whose GPUs are in use: with the driver that is loaded, and
/// with another.
@WithGpuNode
class DriverPodTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final List<String> USED = List.of("nvidia_uvm", "nvidia");

  private final GpuNode node;
  private final AgentOnNode agent;
  private final DriverPodOnNode driver;

  DriverPodTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    driver = DriverPodOnNode.prepare(node, agent.serviceAccount());
  }

  @AfterEach
  void close() {
    driver.close();
    agent.close();
    node.client().pods().inNamespace(AgentOnNode.NAMESPACE).withGracePeriod(0).delete();
    node.gpus().unloadDriver();
    node.gpus().loadDriver();
  }

  @Test
  void theSameDriverIsLeftAloneAndAnotherWaitsForThePods() {
    node.gpus().unloadDriver();
    driver.replace("111");
    driver.awaitReady();
    PluginProcess.awaitRegistered(agent.begin("pitcrew-agent"));
    agentPod();
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    String loaded = String.join(", ", driver.modules());

    try (GpuPod pod = node.run(1)) {
      USED.forEach(module -> driver.module("use", module));
      var modules = driver.modules();
      var devices = node.devices().ofPods();
      String uid = pod.pod().current().getMetadata().getUid();

      driver.replace("111");
      driver.awaitReady();

      assertThat(driver.managerSaid()).contains("nothing was touched");
      assertThat(driver.modules()).isEqualTo(modules);
      assertThat(node.devices().ofPods()).isEqualTo(devices);
      assertThat(pod.pod().current().getMetadata().getUid()).isEqualTo(uid);
      assertThat(pod.isRunning()).isTrue();
      assertThat(agent.label(PLUGIN)).isEqualTo("true");
      System.out.printf("the same digest: %s; %s%n", modules, devices);

      driver.replace("222");
      driver.awaitManagerSays("waiting for pod default/" + pod.pod().name() + " holds a GPU");

      assertThat(driver.modules()).isEqualTo(modules);
      assertThat(agent.label(PLUGIN)).isEqualTo("true");
      assertThat(pod.isRunning()).isTrue();
      USED.forEach(module -> driver.module("release", module));
    }
    // No program holds a GPU any more.
    driver.awaitReady();

    assertThat(String.join(", ", driver.modules())).isNotEqualTo(loaded);
    assertThat(driver.managerSaid()).contains("the driver makes way", "unloading the driver");
    await().atMost(LIMIT).until(() -> agent.label(PLUGIN).equals("true"));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (GpuPod pod = node.run(1)) {
      assertThat(pod.gpus()).hasSize(1);
    }
    System.out.printf("another digest: %s%n%s%n", driver.modules(), driver.managerSaid());
  }

  /// The agent is a process of the node here, and its pod only says that there is one.
  private void agentPod() {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("pitcrew-agent")
            .withNamespace(AgentOnNode.NAMESPACE)
            .addToLabels("app", "pitcrew-agent")
            .endMetadata()
            .withNewSpec()
            .withNodeName(node.node().name())
            .withAutomountServiceAccountToken(false)
            .addNewContainer()
            .withName("agent")
            .withImage(StaticProgram.PROBE.imageName())
            .withImagePullPolicy("Never")
            .endContainer()
            .endSpec()
            .build();
    var created = node.client().resource(pod).create();
    node.client()
        .resource(created)
        .waitUntilCondition(
            it -> it != null && "Running".equals(it.getStatus().getPhase()),
            LIMIT.toSeconds(),
            TimeUnit.SECONDS);
  }
}
