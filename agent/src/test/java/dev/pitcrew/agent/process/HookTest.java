package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nri.NriController;
import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.offer.DevicePluginController;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsSource;
import dev.pitcrew.agent.status.ReportFacts;
import dev.pitcrew.agent.status.plan.NodeFacts;
import dev.pitcrew.agent.status.plan.NodeProblem;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.DeviceFile;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the kubelet, the container runtime and the conditions get while the CDI hook cannot run,
/// and the files for containers that ask by variable.
class HookTest {
  private static final Inventory TWO_GPUS = Nodes.withGpus(2);
  private static final String FORBIDDEN = "/dev/sda1 / ext4 rw,noexec 0 0\n";
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["devicePlugin", "runtime"],
       "clusterPolicy": {
         "toolkit": {"enabled": true},
         "devicePlugin": {"enabled": true, "env": [{"name": "DEVICE_LIST_STRATEGY", "value": "%s"}]}}}
      """;

  @TempDir private Path folder;
  private final NodeStore store = new NodeStore(() -> NodeState.UNKNOWN, it -> it);
  private SimulatedNode node;
  private AgentContext context;
  private TestKubelet kubelet;
  private DevicePlugins plugins;
  private InstalledHook hook;

  @BeforeEach
  void prepare() throws IOException {
    node =
        SimulatedNode.create(
            Files.createDirectory(folder.resolve("node")), SimulatedNodeOptions.of("h100"));
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    var host = new HostRoot(node.hostRoot());
    Path state = Files.createDirectories(folder.resolve("state"));
    Path kubeletFolder = Files.createDirectory(folder.resolve("kubelet"));
    context =
        new AgentContext(
            new AgentContext.Identity("node-a", "agent-pod", "gpu-operator", "pitcrew-agent"),
            Credentials.of(URI.create("https://127.0.0.1:1"), folder),
            host,
            new AgentContext.Folders(
                kubeletFolder,
                AgentContext.KubeletRoot.of(kubeletFolder),
                folder.resolve("cdi"),
                state,
                folder.resolve("run")),
            Optional.empty(),
            new BindAddress.Listen("127.0.0.1", 0),
            InstantSource.system());
    kubelet = TestKubelet.start(kubeletFolder);
    plugins = new DevicePlugins(kubeletFolder);
    Path program = Files.writeString(folder.resolve("hook"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    hook = new InstalledHook(() -> CdiHook.install(program, state, host), store::hook);
    store.update(now ->
        now.with(new NodeSnapshot.WithDriver(KnownGpus.first(TWO_GPUS), UnhealthyDevices.NONE))
            .with(new DeviceNodeController.View(TWO_GPUS, Optional.empty(), List.of())));
  }

  @AfterEach
  void end() throws IOException {
    if (plugins != null) {
      plugins.close();
      kubelet.close();
    }
  }

  @Test
  void devicesAreUnhealthyWhileNoContainerCouldStartWithThem() throws Exception {
    configure("cdi-cri");
    var offer = new DevicePluginController(context, plugins, reports(), hook);
    offer.reconcile(Projections.devicePlugin(store.now()).orElseThrow());
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial("nvidia-gpu.sock")) {
      var watch = client.watch();
      assertThat(health(watch)).containsExactly("Healthy", "Healthy");
      assertThat(problems()).isEmpty();

      mounts(FORBIDDEN);
      offer.reconcile(Projections.devicePlugin(store.now()).orElseThrow());
      assertThat(health(watch)).containsExactly("Unhealthy", "Unhealthy");
      assertThat(problems())
          .singleElement()
          .satisfies(it -> assertThat(it.cause()).isEqualTo(NodeProblem.Cause.CDI_HOOK_CANNOT_RUN))
          .satisfies(
              it -> assertThat(it.message()).contains("offered as unhealthy", "mounted noexec"));

      mounts("");
      offer.reconcile(Projections.devicePlugin(store.now()).orElseThrow());
      assertThat(health(watch)).containsExactly("Healthy", "Healthy");
      assertThat(problems()).isEmpty();
    }
  }

  @Test
  void aHookThatWasRemovedIsBroughtAgain() throws Exception {
    configure("cdi-cri");
    var offer = new DevicePluginController(context, plugins, reports(), hook);
    offer.reconcile(Projections.devicePlugin(store.now()).orElseThrow());
    Path program = Path.of(hook.now().path().orElseThrow());
    Files.delete(program);
    offer.reconcile(Projections.devicePlugin(store.now()).orElseThrow());
    assertThat(program).isExecutable();
  }

  @Test
  void withoutCdiNamesTheHookDoesNotMatter() throws Exception {
    configure("envvar");
    mounts(FORBIDDEN);
    var offer = new DevicePluginController(context, plugins, reports(), hook);
    offer.reconcile(Projections.devicePlugin(store.now()).orElseThrow());
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial("nvidia-gpu.sock")) {
      assertThat(health(client.watch())).containsExactly("Healthy", "Healthy");
    }
    assertThat(problems()).isEmpty();
  }

  @Test
  void containersThatAskByVariableDoNotStartWithoutIt() throws Exception {
    store.update(now ->
        now.with(Optional.of(new NriState(NriState.Reason.SERVED, "containerd asks the agent"))));
    hook.now();
    assertThat(facts().runtime().hookProblem()).isEmpty();
    mounts(FORBIDDEN);
    hook.now();
    assertThat(facts().runtime().hookProblem().orElseThrow()).contains("mounted noexec");
  }

  /// A major number may change with each load of the driver.
  @Test
  void filesForContainersThatAskByVariableWaitForTheNodesAndFollowThem() throws Exception {
    configure("cdi-cri");
    Path file = context.folders().cdi().resolve("runtime.nvidia.com-gpu.json");
    Path uvm = node.driverRoot().resolve("dev/nvidia-uvm");
    try (var containers = new NriController(context, store::nri, _ -> {}, hook)) {
      NodeState complete = store.now();
      var other = Nodes.withGpus(1);
      containers.reconcile(
          Projections.nri(
                  complete.with(new DeviceNodeController.View(other, Optional.empty(), List.of())))
              .orElseThrow());
      assertThat(file).doesNotExist();

      DeviceFile.make(uvm, 501, 0, 0666);
      containers.reconcile(Projections.nri(complete).orElseThrow());
      assertThat(file).content().contains("\"major\":501");

      Files.delete(uvm);
      DeviceFile.make(uvm, 502, 0, 0666);
      containers.reconcile(Projections.nri(complete).orElseThrow());
      assertThat(file).content().contains("\"major\":502").doesNotContain("\"major\":501");
    }
  }

  private void configure(String strategy) {
    var source =
        new SettingsSource(
            "gpu-operator",
            Optional.of(DOCUMENT.formatted(strategy)),
            Map.of(
                "nvidia.com/gpu.deploy.device-plugin", "true",
                "nvidia.com/gpu.deploy.container-toolkit", "true"),
            Set.of(),
            Set.of());
    store.update(now -> now.with(SettingsPlan.decide(source, Optional.empty())));
  }

  private DevicePluginController.Reports reports() {
    return new DevicePluginController.Reports(store::offer, store::withheld);
  }

  private NodeFacts facts() {
    return ReportFacts.of(Projections.report(store.now()), context);
  }

  private List<NodeProblem> problems() {
    return facts().problems().stream()
        .filter(it -> it.cause() != NodeProblem.Cause.KUBELET_UNREACHABLE)
        .toList();
  }

  private static List<String> health(PluginClient.Watch watch) throws InterruptedException {
    return watch.next().getDevicesList().stream().map(Device::getHealth).toList();
  }

  private void mounts(String text) throws IOException {
    Path file = node.hostRoot().resolve("proc/1/mounts");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
