package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Pods that ask for GPUs by variable or annotation and for no resource, on a node with a real
/// containerd whose plugin the agent is.
@WithGpuNode
class ContainersByVariableTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String ANNOTATION = "nvidia.cdi.k8s.io";
  private final GpuNode node;
  private final AgentOnNode agent;
  private final NvidiaClass nvidia;

  ContainersByVariableTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    agent.deploy("container-toolkit", true);
    nvidia = NvidiaClass.addedTo(node);
  }

  @AfterEach
  void close() {
    agent.deploy("container-toolkit", false);
    agent.close();
  }

  @Test
  void aPodOfTheNvidiaClassGetsAllGpusWithoutAskingForAResource() {
    NvidiaClass.awaitServed(agent.begin("pitcrew-agent"), 1);
    try (var pod = node.run(nvidia.asking("all"))) {
      pod.words().stream()
          .filter(line -> line.contains("nvidia") || line.contains("NVIDIA"))
          .forEach(System.out::println);
      assertThat(pod.gpus()).isEqualTo(nvidia.everyGpu());
      assertThat(pod.words())
          .anyMatch(line -> line.startsWith("device /dev/nvidiactl "))
          .contains("env NVIDIA_VISIBLE_DEVICES=void")
          .anyMatch(line -> line.startsWith("env NVIDIA_CTK_LIBCUDA_DIR="));
    }
    var second = node.gpus().gpus().get(1);
    try (var pod = node.run(nvidia.asking("0," + second.uuid()))) {
      assertThat(pod.gpus()).isEqualTo(node.devicesOf("0," + second.uuid()));
    }
    try (var pod = node.run(nvidia.asking("none"))) {
      assertThat(pod.gpus()).isEmpty();
      assertThat(pod.words()).anyMatch(line -> line.startsWith("device /dev/nvidiactl "));
    }
    try (var pod =
        node.run(ProbePodSpec.on(node.node()).withVariable(NvidiaClass.VARIABLE, "all"))) {
      assertThat(pod.gpus()).as("a pod of the default class").isEmpty();
    }
  }

  @Test
  void aPodThatGotItsGpuFromTheDevicePluginGetsNoOther() {
    NvidiaClass.awaitServed(agent.begin("pitcrew-agent"), 1);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (var pod =
        node.run(
            node.pod(1)
                .withRuntimeClass(NvidiaClass.HANDLER)
                .withVariable(NvidiaClass.VARIABLE, "all"))) {
      assertThat(pod.gpus()).hasSize(1);
    }
  }

  @Test
  void noAnnotationNamesDevicesByDefault() {
    NvidiaClass.awaitServed(agent.begin("pitcrew-agent"), 1);
    var plain = ProbePodSpec.on(node.node());
    try (var pod = node.run(plain.withAnnotation(ANNOTATION, "runtime.nvidia.com/gpu=2"))) {
      assertThat(pod.gpus()).isEmpty();
    }
    try (var pod = node.run(plain.withAnnotation("cdi.k8s.io/pod", "runtime.nvidia.com/gpu=2"))) {
      assertThat(pod.gpus()).as("the runtime's own annotation, on a pod").isEmpty();
    }
    // What it could have got is there.
    try (var pod = node.run(nvidia.asking("2"))) {
      assertThat(pod.gpus()).isEqualTo(node.devicesOf("2"));
    }
  }

  @Test
  void anAnnotationNamesDevicesInAnyPodAndThoseOfTheNodeOnlyWhereTheyAreAllowed() {
    agent.enableNriPlugin();
    var process = agent.begin("pitcrew-agent");
    NvidiaClass.awaitServed(process, 1);
    var plain = ProbePodSpec.on(node.node());
    try (var pod = node.run(plain.withAnnotation(ANNOTATION, "runtime.nvidia.com/gpu=2"))) {
      assertThat(pod.gpus()).isEqualTo(node.devicesOf("2"));
    }
    try (var pod = node.run(plain.withAnnotation(ANNOTATION, "management.nvidia.com/gpu=all"))) {
      assertThat(pod.gpus()).isEmpty();
    }
    await("an Event")
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.events())
                .anyMatch(
                    line -> line.startsWith("DevicesNotGiven: container probe of pod default/")));
  }

  @Test
  void aGpuThatIsNotThereIsNamedToTheUserWithThoseThatAre() {
    NvidiaClass.awaitServed(agent.begin("pitcrew-agent"), 1);
    try (var pod = ProbePod.create(node.client(), nvidia.asking("42"))) {
      pod.await(it -> waiting(it).contains("'42', and this node has no such device; it has 0, 1"));
      System.out.println("the pod says: " + waiting(pod.current()));
    }
  }

  @Test
  void restartedContainerd_hasThePluginAgain() {
    var process = agent.begin("pitcrew-agent");
    NvidiaClass.awaitServed(process, 1);
    long start = System.nanoTime();
    node.node().restartContainerd();
    NvidiaClass.awaitServed(process, 2);
    System.out.printf(
        "containerd killed: the plugin is back %d ms later%n",
        Duration.ofNanos(System.nanoTime() - start).toMillis());
    try (var pod = node.run(nvidia.asking("all"))) {
      assertThat(pod.gpus()).isEqualTo(nvidia.everyGpu());
    }
  }

  @Test
  void whileTheAgentIsAwayPodsStartWithoutGpusUnlessTheyRequireIt() {
    NvidiaClass.awaitServed(agent.begin("pitcrew-agent"), 1);
    agent.kill();
    try (var pod = node.run(nvidia.asking("all"))) {
      assertThat(pod.gpus()).isEmpty();
    }
    try (var pod = GpuPodUnderWay.create(node, nvidia.requiring("all"))) {
      pod.await("pitcrew");
      System.out.println("without the agent: " + pod.waiting());
      NvidiaClass.awaitServed(agent.begin("pitcrew-agent-2"), 1);
      assertThat(pod.running().gpus()).isEqualTo(nvidia.everyGpu());
    }
  }

  /// A pod whose container cannot be created yet.
  private record GpuPodUnderWay(ProbePod pod) implements AutoCloseable {
    static GpuPodUnderWay create(GpuNode node, ProbePodSpec spec) {
      return new GpuPodUnderWay(ProbePod.create(node.client(), spec));
    }

    void await(String word) {
      pod.await(it -> ContainersByVariableTest.waiting(it).contains(word));
    }

    String waiting() {
      return ContainersByVariableTest.waiting(pod.current());
    }

    GpuPod running() {
      return new GpuPod(pod.await(ProbePod::isRunning));
    }

    @Override
    public void close() {
      pod.close();
    }
  }

  /// Why the container waits; empty while no reason is known.
  private static String waiting(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .map(status -> status.getState().getWaiting())
        .filter(waiting -> waiting != null && waiting.getMessage() != null)
        .map(waiting -> waiting.getMessage())
        .findFirst()
        .orElse("");
  }
}
