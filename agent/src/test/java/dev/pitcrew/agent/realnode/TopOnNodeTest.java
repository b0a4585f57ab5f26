package dev.pitcrew.agent.realnode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `kubectl gpu top` of a real agent whose kubelet gives GPUs to real pods: by the real kubectl,
/// through the API server. The agent is a process of the node; a pod on the node's network stands
/// for its pod, and so has its port.
@WithGpuNode
class TopOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Path LAUNCHER = Path.of("../cli/kubectl-gpu").toAbsolutePath();

  private final GpuNode node;
  private final AgentOnNode agent;
  private final Path kubectl = Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL);

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  TopOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    agent.deploy("dcgm-exporter", true);
    agent.exporter(
        "{\"enabled\": true, \"env\": [{\"name\": \"DCGM_EXPORTER_INTERVAL\", \"value\": \"500\"}]}");
  }

  @BeforeEach
  void isBuilt() {
    assumeTrue(
        Files.isDirectory(LAUNCHER.resolveSibling("target/lib")), "needs the plugin: make build");
  }

  @AfterEach
  void close() {
    agent.deploy("dcgm-exporter", false);
    agent.close();
    node.offerNothing();
  }

  @Test
  void podThatUsesItsGpu_isShown_andTheOneThatDoesNotIsIdle() {
    agent.begin("pitcrew-agent");
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (var stands = standIn();
        var busy = node.run(1);
        var idle = node.run(1)) {
      stands.await(ProbePod::isRunning);
      node.gpus().set(index(busy), "gpu_percent", "83");

      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            Run top = top("gpus");
            assertThat(top.out())
                .as(top.err() + agent.lastOutput())
                .containsPattern("%d +[▇ ]+ 83%% .*default/%s".formatted(index(busy), name(busy)))
                .containsPattern("%d +[▇ ]+ 0%% .*default/%s".formatted(index(idle), name(idle)));
            assertThat(top.code()).as(top.out()).isZero();
          });
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            Run list = top("--idle", "--for", "3s");
            assertThat(list.out()).contains("default/" + name(idle)).doesNotContain(name(busy));
            assertThat(list.code()).isEqualTo(1);
          });
      agent.kill();
      Run none = top("gpus");
      assertThat(none.code()).isEqualTo(1);
      assertThat(none.out()).contains("no answer").doesNotContain("83%");
    }
  }

  private ProbePod standIn() {
    Pod pod = ProbePodSpec.on(node.node()).pod();
    Pod labelled =
        new PodBuilder(pod)
            .editMetadata()
            .withLabels(Map.of("app", "pitcrew-agent"))
            .endMetadata()
            .editSpec()
            .withHostNetwork(true)
            .endSpec()
            .build();
    return new ProbePod(
        node.client(), node.client().resource(labelled).create().getMetadata().getName());
  }

  private int index(GpuPod pod) {
    return node.gpus().gpus().stream()
        .filter(gpu -> pod.gpus().equals(List.of("/dev/nvidia" + gpu.minor())))
        .findFirst()
        .orElseThrow()
        .index();
  }

  private static String name(GpuPod pod) {
    return pod.pod().current().getMetadata().getName();
  }

  private Run top(String... words) {
    var line = new ArrayList<>(List.of(LAUNCHER.toString(), "top"));
    line.addAll(List.of(words));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    var builder = new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("KUBECTL", kubectl.toString());
    builder.environment().put("KUBECONFIG", node.controlPlane().kubeconfigFile().toString());
    builder.environment().put("LC_ALL", "C.UTF-8");
    try {
      Process process = builder.start();
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return new Run(
          process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
    } catch (IOException | InterruptedException broken) {
      throw new IllegalStateException(broken);
    }
  }
}
