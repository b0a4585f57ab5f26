package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.junit.NeedsRealNodes;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.node.ContainerdRelease;
import dev.pitcrew.testbed.node.GpuPod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// An agent that sets up the containerd of its node alone, for each release that we support: pods
/// get their GPUs, keep them, and no byte of the agent's stays.
// Test budget 120 s: it starts a control plane and a node of its own for each release.
@NeedsRealNodes
@ParameterizedClass
@MethodSource("releases")
class ContainerdReleasesTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String TOOLKIT = "container-toolkit";
  private static final String WANTED = "nvidia.com/mig.config";
  private static final String HALF = "nvidia.com/mig-3g.40gb";
  private static final String LAYOUTS =
      """
      version: v1
      mig-configs:
        all-disabled:
        - devices: all
          mig-enabled: false
        halves:
        - devices: [0]
          mig-enabled: true
          mig-devices: {3g.40gb: 2}
      """;
  private static final String FILES =
      "find /etc/containerd -type f | sort | xargs -r sha256sum; find /dev -type l -name 'nvidia*'; containerd config dump";

  /// The root of a driver container is an overlayfs, and the kernel idmaps no mount of one. The
  /// other folders stay, since simulated GPUs have their state in one.
  private static final String AS_IN_A_CONTAINER =
      "mkdir /run/empty && mount -t overlay driver -o lowerdir=/run/empty:%1$s %1$s"
          .formatted("/run/nvidia/driver/usr/bin");

  private static final List<GpuNode> BOOTED = new ArrayList<>();
  private static final List<String> FORMER_FILES = new ArrayList<>();

  private final ContainerdRelease release;
  private final GpuNode node;
  private final AgentOnNode agent;
  private final NvidiaClass nvidia;
  private final GuardedProcess process;

  static List<ContainerdRelease> releases() {
    return Soak.cases(List.of(ContainerdRelease.V2), List.of(ContainerdRelease.values()));
  }

  @BeforeParameterizedClassInvocation
  static void boot(ContainerdRelease release) {
    GpuNode booted = GpuNode.bootMachine(release);
    BOOTED.add(booted);
    var mounted = booted.node().exec("sh", "-c", AS_IN_A_CONTAINER);
    assertThat(mounted.succeeded()).as(mounted.output()).isTrue();
    FORMER_FILES.add(files(booted));
    var node = booted.client().nodes().withName(booted.node().name()).require();
    assertThat(node.getStatus().getNodeInfo().getContainerRuntimeVersion())
        .startsWith("containerd://")
        .endsWith(release.version());
  }

  @AfterParameterizedClassInvocation
  static void powerOff() {
    BOOTED.removeLast().close();
  }

  ContainerdReleasesTest(ContainerdRelease release) {
    this.release = release;
    node = BOOTED.getLast();
    agent = AgentOnNode.prepare(node);
    agent.deploy(TOOLKIT, true);
    nvidia = NvidiaClass.of(node);
    // With a name of its own it is taken for a pod of a DaemonSet, of which this cluster has none.
    process =
        agent.begin("agent-on-" + release, JvmOnNode.Surroundings.of(Map.of("POD_NAME", "agent")));
    awaitServing(process);
  }

  private static String files(GpuNode node) {
    return node.node().exec("sh", "-c", FILES).output();
  }

  private void awaitServing(GuardedProcess started) {
    await("the runtime")
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.condition("RuntimeReady")).as(started.logTail()).isEqualTo("True"));
    NvidiaClass.awaitServed(started, 1);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  @Test
  void aPodHasTheGpuOfTheDevicePluginAndOneOfTheRuntimeClassThoseThatItNames() {
    try (var pod = node.run(1)) {
      assertThat(pod.gpus()).hasSize(1);
      assertUsable(pod);
    }
    try (var pod = node.run(nvidia.asking("all"))) {
      assertThat(pod.gpus()).isEqualTo(nvidia.everyGpu());
      assertUsable(pod);
    }
    try (var pod = node.run(nvidia.asking("1,3"))) {
      assertThat(pod.gpus()).isEqualTo(node.devicesOf("1,3"));
    }
  }

  @Test
  void podsInUserNamespacesHaveTheirGpus() {
    assumeTrue(release == ContainerdRelease.V2, "containerd 1.7 cannot do it for this kubelet");
    try (var pod = node.run(node.pod(2).withUserNamespace())) {
      assertThat(pod.hasUserNamespace()).as("%s", pod.words()).isTrue();
      assertThat(pod.gpus()).hasSize(2);
      assertUsable(pod);
    }
    try (var pod = node.run(nvidia.asking("all").withUserNamespace())) {
      assertThat(pod.hasUserNamespace()).as("%s", pod.words()).isTrue();
      assertThat(pod.gpus()).isEqualTo(nvidia.everyGpu());
      assertUsable(pod);
    }
  }

  @Test
  void aPodHasItsMigDeviceAndNoOther() {
    agent.divide(LAYOUTS);
    agent.label(WANTED, "halves");
    try {
      node.awaitAllocatable(HALF, 2);
      try (var one = node.run(node.pod(HALF, 1));
          var other = node.run(node.pod(HALF, 1))) {
        assertThat(one.gpus()).containsExactly("/dev/nvidia0");
        assertThat(capabilities(one)).hasSize(2).doesNotContainAnyElementsOf(capabilities(other));
        assertUsable(one);
        assertUsable(other);
      }
    } finally {
      agent.label(WANTED, "all-disabled");
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      agent.deploy("mig-manager", false);
    }
  }

  @Test
  void aNewAgentTakesOverRunningPodsAndDoesNotRestartContainerd() {
    try (var one = node.run(2);
        var all = node.run(nvidia.asking("all"))) {
      Map<String, Set<String>> held = node.devices().ofPods();
      String containerd = containerd();
      agent.kill();

      awaitServing(agent.begin("next-agent"));
      assertThat(containerd()).isEqualTo(containerd);
      assertThat(node.devices().ofPods()).isEqualTo(held);
      assertThat(one.isRunning() && all.isRunning()).isTrue();
      try (var rest = node.run(GpuNode.GPUS - 2)) {
        assertThat(rest.gpus()).doesNotContainAnyElementsOf(one.gpus());
      }
    }
  }

  @Test
  void theLastAgentLeavesContainerdAsItWasAndPodsRunning() {
    assertThat(files(node)).isNotEqualTo(FORMER_FILES.getLast()).contains("nvidia");
    try (var pod = node.run(1)) {
      HandoverTest.java(process).destroy();
      await("its end").atMost(LIMIT).until(() -> !process.isAlive());
      assertThat(files(node)).as(process.logTail()).isEqualTo(FORMER_FILES.getLast());
      assertThat(node.node().exec("ctr", "version").succeeded()).isTrue();
      assertThat(pod.isRunning()).isTrue();
    }
  }

  /// Which process it is.
  private String containerd() {
    try {
      return Files.readString(node.node().path("/run/containerd.pid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> capabilities(GpuPod pod) {
    return pod.pod().devices().stream().filter(it -> it.startsWith("/dev/nvidia-caps/")).toList();
  }

  /// Each file has the driver's numbers, and the container may open it: that no driver is behind it
  /// is all that the kernel answers.
  private void assertUsable(GpuPod pod) {
    assertThat(pod.missingForCuda()).isEmpty();
    assertThat(pod.words())
        .contains("device /dev/nvidia-uvm c %d:0 ENXIO".formatted(major("nvidia-uvm")))
        .filteredOn(line -> line.startsWith("device /dev/nvidia"))
        .allMatch(line -> line.endsWith(" ENXIO"));
  }

  private int major(String driver) {
    try {
      return Files.readAllLines(node.gpus().hostRoot().resolve("proc/devices")).stream()
          .map(line -> line.strip().split(" ", -1))
          .filter(words -> words.length == 2 && words[1].equals(driver))
          .mapToInt(words -> Integer.parseInt(words[0]))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
