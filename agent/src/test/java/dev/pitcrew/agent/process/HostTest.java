package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.host.HostKind;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the GPUNode says of a host that a cloud has set up: a node of EKS without a label of EKS,
/// so that it is known by its files and by `spec.providerID`.
@WithControlPlane
class HostTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String RUNTIME = "/status/host/runtime/";

  @TempDir private Path folder;
  private final ControlPlane plane;
  private final TestNamespace namespace;
  private RunningAgent agent;
  private TestKubelet kubelet;

  HostTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.namespace = namespace;
  }

  @BeforeEach
  void prepare() throws IOException {
    var options = SimulatedNodeOptions.of("h100").withHost("eks-al2").withDriverRoot("/");
    agent = RunningAgent.prepare(plane, namespace.name(), folder, options);
    kubelet = TestKubelet.start(agent.kubeletFolder());
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
    kubelet.close();
  }

  @Test
  void hostIsReportedAndALabelOfTheNodeSaysOtherwise() throws IOException {
    agent.start();

    await().atMost(LIMIT).until(() -> said("/status/host/profile").equals("EKS"));
    assertThat(said("/status/host/name")).isEqualTo("Amazon Linux 2");
    assertThat(said(RUNTIME + "owner")).isEqualTo("Host");
    assertThat(said(RUNTIME + "reason"))
        .isEqualTo(
            "/etc/containerd/config.toml already has the handler nvidia, which starts /usr/bin/nvidia-container-runtime");
    assertThat(said("/status/host/toolkit/reason"))
        .isEqualTo("the host has /usr/bin/nvidia-container-runtime");
    assertThat(said("/status/host/driver/reason"))
        .isEqualTo("the host has driver 550.163.01 below /");
    await().atMost(LIMIT).until(() -> said("/status/driver/owner").equals("Image"));
    assertThat(agent.state().hostProfile().orElseThrow().runtimeLeftAlone()).isPresent();

    agent.label("pitcrew.dev/owner.runtime", "pitcrew");

    await().atMost(LIMIT).until(() -> said(RUNTIME + "owner").equals("Pitcrew"));
    assertThat(agent.state().hostProfile().orElseThrow().runtimeLeftAlone()).isEmpty();
  }

  @Test
  void handlerThatComesLaterIsSeen() throws IOException {
    agent.gpus().faults().delete("/etc/containerd/config.toml");
    agent.start();
    await().atMost(LIMIT).until(() -> said(RUNTIME + "owner").equals("Pitcrew"));

    agent
        .gpus()
        .faults()
        .file(
            "/etc/containerd/config.toml",
            """
            [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia.options]
            BinaryName = '/usr/bin/nvidia-container-runtime'
            """);

    await().atMost(LIMIT).until(() -> said(RUNTIME + "owner").equals("Host"));
    assertThat(agent.state().hostProfile().orElseThrow().kind()).isEqualTo(HostKind.EKS);
  }

  private String said(String path) {
    return agent.gpuNode().at(path).asText();
  }
}
