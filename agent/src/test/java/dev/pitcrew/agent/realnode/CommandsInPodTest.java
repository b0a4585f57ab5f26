package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.core.ThreadEnd;
import dev.pitcrew.testbed.image.BuiltImage;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Commands that a user runs in the container of a running agent, by `kubectl exec`.
@WithGpuNode
class CommandsInPodTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String NAME = "pitcrew-agent-pod";

  private final GpuNode node;
  private final AgentOnNode agent;

  CommandsInPodTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
  }

  @AfterEach
  void close() {
    pod().withGracePeriod(0).delete();
    await().atMost(LIMIT).until(() -> pod().get() == null);
    agent.close();
  }

  private record Ended(int exitCode, String output, String errors) {}

  @Test
  void theAgentCarriesThemOutAndNoSecondJvmIsStarted() throws Exception {
    BuiltImage image = BuiltImage.ofTests().orElse(null);
    assumeTrue(image != null, "needs the image: make test, or ARGS of build/tests");
    Path built = Objects.requireNonNull(Objects.requireNonNull(image).rootfs().getParent());
    node.node().importImage(archive(built));
    String name = Files.readString(built.resolve("image-name")).strip();
    Pod live = node.client().resource(podOf(name)).create();
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    var jvms = Jvms.of(live.getMetadata().getUid());
    Set<Long> ofAgent = jvms.now();
    assertThat(ofAgent).hasSize(1);

    try (var seen = jvms.watch()) {
      assertThat(run("inventory").output())
          .contains("driver 5", "GPU 0  GPU-", "GPU 7  GPU-")
          .hasLineCount(1 + GpuNode.GPUS);
      assertThat(run("labels", "--oneshot").output()).contains("nvidia.com/gpu.count=8\n");
      assertThat(run("cdi").output()).contains("nvidia.com/gpu");
      assertThat(run("mig", "export").output()).contains("mig-enabled: false");
      assertThat(run("metrics", "--oneshot").output()).contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"7\"");
      assertThat(run("features").output()).contains("pci-10de.present=true");
      Ended wrong = run("inventory", "--no-such-flag");
      assertThat(wrong.exitCode()).isEqualTo(2);
      assertThat(wrong.errors()).startsWith("Unknown option: '--no-such-flag'");
      assertThat(seen.all()).isEqualTo(ofAgent);
    }

    // The same watch sees the JVM of a command that the agent declines.
    String output = run("inventory").output();
    try (var seen = jvms.watch()) {
      String driverRoot = "--driver-root=" + node.gpus().options().driverRoot();
      assertThat(run("inventory", driverRoot).output()).isEqualTo(output);
      assertThat(seen.all()).hasSize(2).containsAll(ofAgent);
    }
    assertThat(jvms.now()).isEqualTo(ofAgent);
  }

  private static Path archive(Path built) throws IOException {
    try (var files = Files.newDirectoryStream(built, "pitcrew-[0-9]*.tar")) {
      return files.iterator().next();
    }
  }

  private PodResource pod() {
    return node.client().pods().inNamespace(AgentOnNode.NAMESPACE).withName(NAME);
  }

  private Ended run(String... command) throws Exception {
    List<String> all = new ArrayList<>(List.of("pitcrew"));
    all.addAll(List.of(command));
    var output = new ByteArrayOutputStream();
    var errors = new ByteArrayOutputStream();
    try (ExecWatch exec =
        pod().writingOutput(output).writingError(errors).exec(all.toArray(String[]::new))) {
      int code = exec.exitCode().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      return new Ended(
          code, output.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
    }
  }

  /// As the operator's DaemonSet has it, with the node's GPUs below a folder of its root.
  private Pod podOf(String image) {
    String hostRoot = "/host" + node.hostRoot();
    return new PodBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(AgentOnNode.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node.node().name())
        .withHostNetwork(true)
        .withHostPID(true)
        .withPriorityClassName("system-node-critical")
        .withAutomountServiceAccountToken(false)
        .withRestartPolicy("Never")
        .addNewContainer()
        .withName("pitcrew-agent")
        .withImage(image)
        .withImagePullPolicy("Never")
        .withCommand("pitcrew")
        .withArgs(
            "agent",
            "--node-name=" + node.node().name(),
            "--namespace=" + AgentOnNode.NAMESPACE,
            "--server=" + node.controlPlane().apiServerAddress(),
            "--service-account=/host" + agent.serviceAccount(),
            "--health-probe-bind-address=0")
        .addNewEnv()
        .withName("HOST_ROOT")
        .withValue(hostRoot)
        .endEnv()
        .withNewResources()
        .addToLimits("memory", new Quantity("384Mi"))
        .endResources()
        .withNewSecurityContext()
        .withPrivileged(true)
        .endSecurityContext()
        .addNewVolumeMount()
        .withName("host-root")
        .withMountPath("/host")
        .withMountPropagation("HostToContainer")
        .endVolumeMount()
        .addNewVolumeMount()
        .withName("run-nvidia")
        .withMountPath("/run/nvidia")
        .withMountPropagation("HostToContainer")
        .endVolumeMount()
        .addNewVolumeMount()
        .withName("device-plugin")
        .withMountPath("/var/lib/kubelet/device-plugins")
        .endVolumeMount()
        .addNewVolumeMount()
        .withName("cdi-root")
        .withMountPath("/var/run/cdi")
        .endVolumeMount()
        .addNewVolumeMount()
        .withName("state")
        .withMountPath(AgentOnNode.STATE)
        .endVolumeMount()
        .endContainer()
        .addNewVolume()
        .withName("host-root")
        .withNewHostPath("/", "")
        .endVolume()
        .addNewVolume()
        .withName("run-nvidia")
        .withNewHostPath("/run/nvidia", "DirectoryOrCreate")
        .endVolume()
        .addNewVolume()
        .withName("device-plugin")
        .withNewHostPath("/var/lib/kubelet/device-plugins", "")
        .endVolume()
        .addNewVolume()
        .withName("cdi-root")
        .withNewHostPath("/var/run/cdi", "DirectoryOrCreate")
        .endVolume()
        .addNewVolume()
        .withName("state")
        .withNewHostPath(AgentOnNode.STATE, "DirectoryOrCreate")
        .endVolume()
        .endSpec()
        .build();
  }

  /// The JVMs in the cgroups of a pod, as this machine sees them.
  private record Jvms(String pod) {
    static Jvms of(String uid) {
      return new Jvms(uid);
    }

    Set<Long> now() {
      return ProcessHandle.allProcesses()
          .filter(process -> isJava(process) && process.parent().filter(Jvms::isJava).isEmpty())
          .map(ProcessHandle::pid)
          .filter(id -> text(id, "cgroup").contains("pod" + pod))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /// A program that a JVM starts has its name for a moment.
    private static boolean isJava(ProcessHandle process) {
      return text(process.pid(), "comm").strip().equals("java");
    }

    /// Processes come and go while they are looked at.
    private static String text(long id, String file) {
      try {
        return Files.readString(Path.of("/proc", Long.toString(id), file));
      } catch (IOException _) {
        return "";
      }
    }

    /// Looks all the time: a command's JVM lives for hundreds of milliseconds.
    Watch watch() {
      return new Watch(this);
    }
  }

  private static final class Watch implements AutoCloseable {
    private final Set<Long> seen = new ConcurrentSkipListSet<>();
    private final Jvms jvms;
    private final Thread thread = Thread.ofPlatform().unstarted(this::look);

    Watch(Jvms jvms) {
      this.jvms = jvms;
      thread.start();
    }

    private void look() {
      while (!Thread.currentThread().isInterrupted()) {
        seen.addAll(jvms.now());
      }
    }

    Set<Long> all() {
      return new TreeSet<>(seen);
    }

    @Override
    public void close() {
      ThreadEnd.of(thread);
    }
  }
}
