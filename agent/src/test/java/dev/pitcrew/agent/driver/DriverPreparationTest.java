package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.TestAccount;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.agent.runtime.HostShell;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.core.names.FieldManagers;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real API server, and a folder for the host.
@WithControlPlane
class DriverPreparationTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String DCGM = "nvidia.com/gpu.deploy.dcgm";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration PATIENT = Duration.ofMinutes(5);
  private static final Duration KERNEL = Duration.ofSeconds(2);
  private static final Duration IMPATIENT = Duration.ofMillis(200);

  @TempDir private Path folder;
  private FakeHost host;
  private KubernetesClient client;
  private TestAccount account;
  private String node;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) throws Exception {
    client = plane.client();
    node = "node-" + namespace.name();
    host = new FakeHost(Files.createDirectory(folder.resolve("host")));
    account =
        TestAccount.ofDriverManager(
            plane, namespace.name(), Files.createDirectory(folder.resolve("account")));
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(node)
                .addToLabels(Map.of(PLUGIN, "true", DCGM, "false"))
                .endMetadata()
                .build())
        .create();
  }

  @AfterEach
  void remove() {
    client.pods().inNamespace(account.namespace()).withGracePeriod(0).delete();
    client.nodes().withName(node).delete();
  }

  @Test
  void theSameDriverIsKeptAndNothingIsWritten() throws Exception {
    host.withDriver("1234");
    host.module("nvidia_uvm", 3);
    pod("train", Map.of("nvidia.com/gpu", "1"), Map.of());
    List<ManagedFieldsEntry> before = written();

    assertThat(run("1234", PATIENT)).isInstanceOf(Ending.MayStart.class);

    assertThat(written()).isEqualTo(before);
    assertThat(host.unloaded()).isEmpty();
    assertThat(host.read("/sys/module/nvidia_uvm/refcnt")).isEqualTo("3\n");
    assertThat(host.at("/run/nvidia/nvidia-driver.state")).hasContent("1234");
    assertThat(host.at("/run/nvidia/nvidia-driver.pid")).doesNotExist();
  }

  @Test
  void anotherDriverMakesWay() throws Exception {
    host.withDriver("1234");

    assertThat(run("5678", PATIENT)).isInstanceOf(Ending.MayStart.class);

    assertThat(host.unloaded())
        .containsExactly("nvidia_drm", "nvidia_modeset", "nvidia_uvm", "nvidia");
    assertThat(host.at("/run/nvidia/nvidia-driver.state")).doesNotExist();
    assertThat(labels()).containsEntry(PLUGIN, "true").containsEntry(DCGM, "false");
    assertThat(labels()).doesNotContainKey("nvidia.com/gpu.deploy.nvsm");
    assertThat(written()).isNotEmpty();
  }

  @Test
  void operandsAndAgentGoFirst() throws Exception {
    host.withDriver("1234");
    pod("plugin", Map.of(), Map.of(PLUGIN, "true"));
    pod("agent", Map.of(), Map.of());
    running("agent");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> run("5678", PATIENT));
      await().atMost(LIMIT).until(() -> PAUSED.equals(labels().get(PLUGIN)));
      assertThat(host.unloaded()).isEmpty();

      delete("plugin");
      release(live().getMetadata().getResourceVersion());

      assertThat(ending.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(Ending.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
    assertThat(labels()).containsEntry(PLUGIN, "true");
  }

  @Test
  void aPodThatHoldsAGpuIsNamedAndNothingIsPaused() throws Exception {
    host.withDriver("1234");
    pod("train", Map.of("nvidia.com/mig-1g.10gb", "1"), Map.of());
    List<ManagedFieldsEntry> before = written();

    Ending ending = run("5678", IMPATIENT);

    assertThat(ending).isInstanceOf(Ending.Refused.class);
    assertThat(ending.words()).contains(account.namespace() + "/train", "autoUpgrade");
    assertThat(written()).isEqualTo(before);
    assertThat(host.hasDriver()).isTrue();
  }

  @Test
  void itGoesOnAsSoonAsThePodIsGone() throws Exception {
    host.withDriver("1234");
    pod("train", Map.of("nvidia.com/gpu", "1"), Map.of());
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> run("5678", PATIENT));
      delete("train");
      assertThat(ending.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(Ending.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
  }

  @Test
  void theNodeSaysWhatIsWaitedForUntilItIsOver() throws Exception {
    host.withDriver("1234");
    pod("train", Map.of("nvidia.com/gpu", "1"), Map.of());
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> run("5678", PATIENT));
      await()
          .atMost(LIMIT)
          .until(() -> said().contains(account.namespace() + "/train holds a GPU"));
      delete("train");
      assertThat(ending.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(Ending.MayStart.class);
    }
    assertThat(said()).isEmpty();
  }

  @Test
  void whatAKilledManagerSaidIsTakenBack() throws Exception {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"annotations\": {\"%s\": \"the network\"}}}"
                .formatted(NodeLabels.DRIVER_MANAGER_WAITS));

    assertThat(run("5678", PATIENT)).isInstanceOf(Ending.MayStart.class);

    assertThat(said()).isEmpty();
  }

  @Test
  void aFreshNodeKeepsItsOperands() throws Exception {
    List<ManagedFieldsEntry> before = written();

    assertThat(run("5678", PATIENT)).isInstanceOf(Ending.MayStart.class);

    assertThat(written()).isEqualTo(before);
  }

  @Test
  void nouveauMakesWay() throws Exception {
    host.module("nouveau", 0);
    assertThat(run("5678", PATIENT)).isInstanceOf(Ending.MayStart.class);
    assertThat(host.unloaded()).containsExactly("nouveau");

    host.module("nouveau", 1);
    assertThat(run("5678", PATIENT).words()).contains("nouveau", "blacklist");
  }

  @Test
  void aDriverThatStaysWithoutAUserNeedsARebootAndTheNextTryKnows() throws Exception {
    host.withDriver("1234");
    host.stick();

    Ending first = run("5678", PATIENT);

    assertThat(first).isInstanceOf(Ending.NeedsReboot.class);
    assertThat(first.words()).contains("reboot the node", "nvidia_drm");
    assertThat(labels()).containsEntry(PLUGIN, "true");
    List<ManagedFieldsEntry> before = written();
    long start = System.nanoTime();
    Ending second = run("5678", PATIENT);
    System.out.printf("known again after %d ms%n", (System.nanoTime() - start) / 1_000_000);
    assertThat(second).isInstanceOf(Ending.NeedsReboot.class);
    assertThat(written()).as("not paused again").isEqualTo(before);

    host.text("/proc/sys/kernel/random/boot_id", "another\n");
    host.module("nvidia_uvm", 1);
    assertThat(run("5678", PATIENT)).as("after a reboot").isInstanceOf(Ending.NeedsReboot.class);
    assertThat(host.read("/run/nvidia/pitcrew-driver-wedged")).contains("another");
  }

  @Test
  void aProcessThatHasTheDriverOpenIsNamed() throws Exception {
    host.withDriver("1234");
    host.module("nvidia", 1, "nvidia_uvm", "nvidia_modeset");
    host.text("/proc/815/comm", "burn-in\n");
    Files.createDirectories(host.at("/proc/815/fd"));
    Files.createSymbolicLink(host.at("/proc/815/fd/3"), Path.of("/dev/nvidia0"));

    Ending ending = run("5678", PATIENT);

    assertThat(ending).isInstanceOf(Ending.Refused.class);
    assertThat(ending.words()).contains("process 815 (burn-in)");
    assertThat(host.unloaded()).isEmpty();
    assertThat(labels()).containsEntry(PLUGIN, "true");
  }

  @Test
  void aHostWithADriverOfItsOwnKeepsIt() throws Exception {
    host.program("nvidia-smi", "echo 580.95.05; echo 580.95.05");

    assertThat(run("5678", PATIENT))
        .isInstanceOfSatisfying(
            Ending.LeftToHost.class, it -> assertThat(it.words()).contains("driver 580.95.05"));
    assertThat(labels()).containsEntry(OperandLabels.DRIVER, "pre-installed");
    List<ManagedFieldsEntry> before = written();
    assertThat(run("5678", PATIENT)).isInstanceOf(Ending.LeftToHost.class);
    assertThat(written()).isEqualTo(before);
  }

  @Test
  void whoIsToldToEndGivesTheOperandsBack() throws Exception {
    host.withDriver("1234");
    pod("plugin", Map.of(), Map.of(PLUGIN, "true"));
    var bell = new Bell();
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> run("5678", PATIENT, bell));
      await().atMost(LIMIT).until(() -> PAUSED.equals(labels().get(PLUGIN)));
      bell.end();
      assertThat(ending.get(LIMIT.toSeconds(), TimeUnit.SECONDS).words()).contains("told to end");
    }
    assertThat(labels()).containsEntry(PLUGIN, "true");
    assertThat(host.hasDriver()).isTrue();
  }

  private Ending run(String digest, Duration patience) throws Exception {
    return run(digest, patience, new Bell());
  }

  private Ending run(String digest, Duration patience, Bell bell) throws Exception {
    var options =
        new PreparationOptions(
            node,
            account.namespace(),
            new Observed.Asked(digest, false, new OperandLabels(Optional.empty())),
            new NetworkDrivers(false, false),
            host.places(),
            host::unload,
            new HostShell(List.of("env", "PATH=" + host.at("/usr/bin") + ":/usr/bin:/bin")),
            new Limits(patience, LIMIT, KERNEL, LIMIT));
    try (var server = ApiServer.of(account.atServer(), FieldManagers.DRIVER_MANAGER)) {
      return new DriverPreparation(options, server, InstantSource.system(), bell).run();
    }
  }

  private Node live() {
    return client.nodes().withName(node).require();
  }

  /// What the program has written; others of the control plane write the Node, too.
  private List<ManagedFieldsEntry> written() {
    return live().getMetadata().getManagedFields().stream()
        .filter(it -> it.getManager().equals(FieldManagers.DRIVER_MANAGER))
        .toList();
  }

  private String said() {
    return Objects.requireNonNullElse(
            live().getMetadata().getAnnotations(), Map.<String, String>of())
        .getOrDefault(NodeLabels.DRIVER_MANAGER_WAITS, "");
  }

  private Map<String, String> labels() {
    return live().getMetadata().getLabels();
  }

  private void release(String version) {
    var release =
        new DriverRelease(
            DriverRelease.API_VERSION, node, FakeHost.BOOT, version, Map.of(), Map.of());
    host.text(DriverRelease.FOLDER + "/" + DriverRelease.FILE, ApiJson.write(release));
  }

  private void pod(String name, Map<String, String> limits, Map<String, String> selector) {
    var builder =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(account.namespace())
            .addToLabels("app", name.equals("agent") ? "pitcrew-agent" : name)
            .endMetadata()
            .withNewSpec()
            .withNodeName(node)
            .withNodeSelector(selector)
            .addNewContainer()
            .withName("main")
            .withImage("example.com/none")
            .withNewResources();
    client
        .resource(
            builder
                .addToLimits(
                    limits.entrySet().stream()
                        .collect(
                            Collectors.toMap(Map.Entry::getKey, it -> new Quantity(it.getValue()))))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  private void running(String name) {
    client
        .pods()
        .inNamespace(account.namespace())
        .withName(name)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"phase\": \"Running\"}}");
  }

  private void delete(String name) {
    client.pods().inNamespace(account.namespace()).withName(name).withGracePeriod(0).delete();
  }
}
