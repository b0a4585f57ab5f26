package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.node.GpuPod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Test budget 240 s: the kubelet waits 30 s until it removes the slices of a driver that is gone.
/// A node moves from NVIDIA's DRA driver to the agent and back, with NVIDIA's own program: set the
/// system property to the `gpu-kubelet-plugin` that `go build ./cmd/gpu-kubelet-plugin` makes in
/// its repository. It is not built here.
@WithGpuNode
class NvidiaMoveOnNodeTest {
  private static final String PROPERTY = "pitcrew.nvidia.dra";
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String BLOCKED = "another DRA driver gpu.nvidia.com serves this node";

  /// On this node the agent reads that of the simulated machine.
  private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";

  private final GpuNode node;
  private final AgentOnNode agent;
  private final ClaimsOnNode claims;

  NvidiaMoveOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    claims = new ClaimsOnNode(node, "gpu.nvidia.com");
  }

  @BeforeEach
  void prepare() {
    assumeTrue(System.getProperty(PROPERTY) != null, PROPERTY + " names no program");
    claims.deviceClass("gpu.nvidia.com", "gpu", "");
    List.of("first", "second", "third", "fourth")
        .forEach(name -> claims.claim(name, "gpu.nvidia.com", "", ""));
    agent.serveClaims();
  }

  @AfterEach
  void close() {
    claims.deleteAll();
    agent.label(ClaimsOnNode.SELECTED, "false");
    agent.close();
    await().atMost(LIMIT).until(() -> claims.devices().isEmpty());
  }

  @Test
  void podsRunThroughout_andEachDriverReturnsTheClaimsOfTheOther() {
    var theirs = startNvidia("nvidia-dra");
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(claims.devices()).as(theirs.logTail()).hasSize(GpuNode.GPUS));
    List<ResourceSlice> slices = claims.slices();
    try (var first = claims.run("first")) {
      var second = claims.run("second");
      agent.label(ClaimsOnNode.SELECTED, "true");
      agent.begin("dra-agent");
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> assertThat(agent.document()).as(agent.lastOutput()).contains(BLOCKED));
      assertThat(claims.slices()).isEqualTo(slices);

      theirs.stop();
      long gone = System.nanoTime();
      try (var third = claims.run("third")) {
        System.out.printf(
            "NVIDIA's driver gone -> pod runs after %d ms%n",
            (System.nanoTime() - gone) / 1_000_000);
        assertThat(prepared()).as("the agent keeps what NVIDIA's driver prepared").hasSize(3);
        end(second, "second");
        await("the agent returns what NVIDIA's driver prepared")
            .atMost(LIMIT)
            .untilAsserted(() -> assertThat(prepared()).hasSize(2));

        var again = startNvidia("nvidia-dra-2");
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () -> assertThat(agent.document()).as(agent.lastOutput()).contains(BLOCKED));
        long back = System.nanoTime();
        try (var fourth = claims.run("fourth")) {
          System.out.printf(
              "NVIDIA's driver again -> pod runs after %d ms%n",
              (System.nanoTime() - back) / 1_000_000);
          assertThat(Stream.of(first, third, fourth))
              .as(again.logTail())
              .allMatch(it -> it.isRunning());
          end(third, "third");
          await("NVIDIA's driver returns what the agent prepared")
              .atMost(LIMIT)
              .untilAsserted(() -> assertThat(prepared()).as(again.logTail()).hasSize(2));
        }
        claims.delete("fourth");
        again.stop();
      }
    }
  }

  private void end(GpuPod pod, String claim) {
    try (pod) {
      assertThat(pod.isRunning()).isTrue();
    }
    claims.delete(claim);
  }

  private GuardedProcess startNvidia(String name) {
    Path copy = node.jvm().folder().resolve("gpu-kubelet-plugin");
    Path kubeconfig = node.jvm().folder().resolve("nvidia.kubeconfig");
    try {
      Files.copy(
          Path.of(System.getProperty(PROPERTY)),
          copy,
          StandardCopyOption.COPY_ATTRIBUTES,
          StandardCopyOption.REPLACE_EXISTING);
      Files.copy(
          node.controlPlane().kubeconfigFile(), kubeconfig, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String driver = node.gpus().options().driverRoot();
    return node.node()
        .start(
            name,
            "env",
            "NODE_NAME=" + node.node().name(),
            "NAMESPACE=default",
            "CDI_ROOT=/var/run/cdi",
            "NVIDIA_DRIVER_ROOT=" + driver,
            "DRIVER_ROOT_CTR_PATH=" + driver,
            "NVIDIA_CDI_HOOK_PATH=" + JvmOnNode.HOOK,
            "IMAGE_NAME=example.com/dra:1",
            "KUBECONFIG=" + kubeconfig,
            "unshare",
            "--mount",
            "sh",
            "-c",
            "mount --bind %s%s %2$s && exec %s".formatted(node.hostRoot(), BOOT_ID, copy));
  }

  /// The CDI files of claims.
  private List<String> prepared() {
    try (var files = Files.list(node.node().path("/run/cdi"))) {
      return files
          .map(it -> it.getFileName().toString())
          .filter(it -> it.startsWith("k8s.gpu.nvidia.com-claim"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
