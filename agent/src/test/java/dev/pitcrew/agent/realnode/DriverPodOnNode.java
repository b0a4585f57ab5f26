package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import dev.pitcrew.testbed.node.GpuHardware;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A driver's pod of a real node: our driver manager in front of the simulated driver container.
/// There is one at a time, as a DaemonSet would have it.
final class DriverPodOnNode implements AutoCloseable {
  private static final String IMAGE = "testbed.local/driver:1";
  private static final String NAME = "nvidia-driver";
  private static final String MANAGER = "k8s-driver-manager";
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String ROOT = GpuHardware.HOST_ROOT;
  private static final String MODULES = "/sys/module/";

  private final GpuNode node;
  private final String account;
  private final Path program;

  private DriverPodOnNode(GpuNode node, String account, Path program) {
    this.node = node;
    this.account = account;
    this.program = program;
  }

  /// Makes everything ready for it, on a node whose driver is not loaded.
  ///
  /// @param account the folder of a service account
  static DriverPodOnNode prepare(GpuNode node, Path account) {
    Path folder = node.jvm().folder();
    Path program = folder.resolve("nvidia-driver");
    try {
      if (Files.notExists(program)) {
        Files.copy(built("nvidia-driver"), program);
        node.node()
            .importImage(
                Image.named(IMAGE)
                    .withLayer(
                        Layer.titled("driver")
                            .withFile("/nvidia-driver", program)
                            .withFile("/pitcrew", built("pitcrew-gate")))
                    .writeTo(folder.resolve("driver.tar")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new DriverPodOnNode(node, account.toString(), program);
  }

  private static Path built(String name) throws IOException {
    return Path.of("../native/build").resolve(name).toRealPath();
  }

  /// Ends the pod that there is and makes another one; waits for nothing more.
  void replace(String digest) {
    remove();
    node.client().resource(pod(digest)).create();
  }

  /// Returns when the driver container of the pod says that it is done.
  void awaitReady() {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(said()).contains("nvidia-driver: ready"));
  }

  /// Returns when the driver manager has said this.
  void awaitManagerSays(String words) {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(managerSaid()).contains(words));
  }

  /// All that manager and driver have said.
  String said() {
    return managerSaid() + log("nvidia-driver-ctr");
  }

  String managerSaid() {
    return log(MANAGER);
  }

  /// Which load of the driver it is, and how often each module is used.
  List<String> modules() {
    var facts = new ArrayList<String>();
    for (String name : List.of("nvidia", "nvidia_uvm", "nvidia_modeset")) {
      Path module = node.gpus().hostRoot().resolve("." + MODULES + name).normalize();
      try {
        facts.add(
            "%s %s: %s"
                .formatted(
                    name,
                    Files.getAttribute(module, "unix:ino"),
                    Files.readString(module.resolve("refcnt")).strip()));
      } catch (IOException _) {
        facts.add(name + " is not loaded");
      }
    }
    return facts;
  }

  /// As a process that opens (`use`) or closes (`release`) the driver's files.
  void module(String change, String module) {
    var run =
        node.node().exec("env", "FAKEDRIVER_ROOT=" + ROOT, program.toString(), change, module);
    assertThat(run.succeeded()).as(run.lastLines()).isTrue();
  }

  /// Empty as long as the container has not been started.
  private String log(String container) {
    try {
      return Objects.requireNonNullElse(
          node.client()
              .pods()
              .inNamespace(AgentOnNode.NAMESPACE)
              .withName(NAME)
              .inContainer(container)
              .getLog(),
          "");
    } catch (KubernetesClientException _) {
      return "";
    }
  }

  private void remove() {
    PodResource pod = node.client().pods().inNamespace(AgentOnNode.NAMESPACE).withName(NAME);
    pod.delete();
    await().atMost(LIMIT).until(() -> pod.get() == null);
  }

  private Pod pod(String digest) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(AgentOnNode.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node.node().name())
        .withHostNetwork(true)
        .withHostPID(true)
        .withAutomountServiceAccountToken(false)
        .withTerminationGracePeriodSeconds(5L)
        .withInitContainers(manager(digest))
        .withContainers(driver(digest))
        .addNewVolume()
        .withName("host-root")
        .withNewHostPath()
        .withPath("/")
        .endHostPath()
        .endVolume()
        .endSpec()
        .build();
  }

  /// The gate makes the JVM a program of the node, which has one.
  private Container manager(String digest) {
    var command = new ArrayList<>(List.of("/pitcrew", "in-root", "/host"));
    command.addAll(node.jvm().command());
    command.addAll(
        List.of(
            "driver-manager",
            "--root=" + ROOT,
            "--host-root=" + ROOT,
            "--module-unloader=" + program + " rmmod",
            "--server=" + node.controlPlane().apiServerAddress(),
            "--service-account=" + account,
            "uninstall_driver"));
    return container(MANAGER, digest)
        .withCommand(command)
        .addNewEnv()
        .withName("NODE_NAME")
        .withNewValueFrom()
        .withNewFieldRef("v1", "spec.nodeName")
        .endValueFrom()
        .endEnv()
        .addNewEnv()
        .withName("OPERATOR_NAMESPACE")
        .withValue(AgentOnNode.NAMESPACE)
        .endEnv()
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .build();
  }

  private Container driver(String digest) {
    return container("nvidia-driver-ctr", digest)
        .withCommand("/pitcrew", "in-root", "/host", program.toString(), "init")
        .build();
  }

  private ContainerBuilder container(String name, String digest) {
    String state = ROOT + "/" + node.gpus().hostRoot().relativize(node.gpus().state());
    return new ContainerBuilder()
        .withName(name)
        .withImage(IMAGE)
        .withImagePullPolicy("Never")
        .addNewEnv()
        .withName("DRIVER_CONFIG_DIGEST")
        .withValue(digest)
        .endEnv()
        .addNewEnv()
        .withName("DRIVER_VERSION")
        .withValue(node.gpus().options().driver())
        .endEnv()
        .addNewEnv()
        .withName("FAKEDRIVER_ROOT")
        .withValue(ROOT)
        .endEnv()
        .addNewEnv()
        .withName("NVML_SIM_STATE")
        .withValue(state)
        .endEnv()
        .withNewSecurityContext()
        .withPrivileged(true)
        .endSecurityContext()
        .addNewVolumeMount()
        .withName("host-root")
        .withMountPath("/host")
        .withMountPropagation("HostToContainer")
        .endVolumeMount();
  }

  @Override
  public void close() {
    remove();
  }
}
