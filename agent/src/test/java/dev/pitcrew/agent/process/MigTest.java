package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/// The label of a Node and what becomes of its GPUs.
@WithControlPlane
class MigTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration WHILE = Duration.ofSeconds(4);
  private static final String WANTED = "nvidia.com/mig.config";
  private static final String STATE = "nvidia.com/mig.config.state";
  private static final String CONDITION = "MIGConfigured";
  private static final int GPU = 1;
  private static final String LAYOUTS =
      """
      version: v1
      mig-configs:
        all-disabled:
        - devices: all
          mig-enabled: false
        halves:
        - devices: [1]
          mig-enabled: true
          mig-devices: {%1$s: 2}
        quarters:
        - devices: [1]
          mig-enabled: true
          mig-devices: {%2$s: 4}
      """;
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin", "mig"],
       "mig": {"busy": "%s"},
       "clusterPolicy": {
         "devicePlugin": {"enabled": true}, "gfd": {"enabled": true}, "mig": {"strategy": "mixed"},
         "migManager": {"enabled": true,
           "env": [{"name": "WITH_REBOOT", "value": "false"}],
           "config": {"name": "mig-layouts", "default": "all-disabled"}}}}
      """;

  private static final String RESET = "reset";

  private TestNamespace namespace;
  private RunningAgent agent;
  private TestPodResources pods;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder, TestInfo test)
      throws IOException {
    this.namespace = namespace;
    boolean isReset = test.getTags().contains(RESET);
    // R535 lists no profile of MIG before the mode is on.
    var options =
        isReset
            ? SimulatedNodeOptions.of("a100-40g").withDriver("535.183.06", "12.2")
            : SimulatedNodeOptions.of("h100");
    agent = RunningAgent.prepare(plane, namespace.name(), folder, options.withGpus(4));
    agent.layouts(
        isReset
            ? LAYOUTS.formatted("3g.20gb", "1g.10gb")
            : LAYOUTS.formatted("3g.40gb", "1g.20gb"));
    agent.provideDocument(DOCUMENT.formatted("Wait"));
    agent.label("nvidia.com/gpu.deploy.mig-manager", "true");
    pods = TestPodResources.start(agent.gpus().hostRoot());
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
    pods.close();
  }

  @Test
  void oneGpuIsDividedWhileAllOthersStayOffered() throws Exception {
    TestKubelet kubelet = agent.startKubelet();
    agent.start();
    try (PluginClient plugin = kubelet.dial(kubelet.nextRegistration().getEndpoint())) {
      PluginClient.Watch watch = plugin.watch();
      awaitState("success");
      agent.label(WANTED, "halves");

      await().atMost(LIMIT).until(() -> isConfigured("halves"));

      assertThat(kubelet.nextRegistration().getResourceName()).isEqualTo("nvidia.com/mig-3g.40gb");
      assertThat(agent.labels())
          .containsEntry(STATE, "success")
          .containsEntry("nvidia.com/mig-3g.40gb.count", "2");
      assertOthersStayed(watch);
    }
    assertThat(agent.gpuNode().at("/status/mig/actual").asText()).isEqualTo("halves");
    assertThat(reasons()).contains("MigChanging", "MigConfigured").doesNotHaveDuplicates();

    agent.label(WANTED, "all-disabled");
    await().atMost(LIMIT).until(() -> isConfigured("all-disabled"));
    await().atMost(LIMIT).until(() -> !agent.labels().containsKey("nvidia.com/mig-3g.40gb.count"));
  }

  /// Such a board changes its mode by a reset, which the agent's own handles would block.
  @Tag(RESET)
  @Test
  void aBoardThatMustBeResetIsResetByTheAgentWithoutLosingTheOthers() throws Exception {
    TestKubelet kubelet = agent.startKubelet();
    agent.start();
    try (PluginClient plugin = kubelet.dial(kubelet.nextRegistration().getEndpoint())) {
      PluginClient.Watch watch = plugin.watch();
      awaitState("success");
      agent.label(WANTED, "halves");

      await().atMost(LIMIT).until(() -> isConfigured("halves"));

      await()
          .atMost(LIMIT)
          .until(() -> "2".equals(agent.labels().get("nvidia.com/mig-3g.20gb.count")));
      assertOthersStayed(watch);
    }
  }

  @Test
  void invalidLayout_isNamed_andTheCurrentOneStays() throws Exception {
    agent.label(WANTED, "halves");
    agent.startKubelet();
    agent.start();
    await().atMost(LIMIT).until(() -> isConfigured("halves"));
    String before = agent.gpus().simulate("show");

    agent.label(WANTED, "thirds");
    awaitWords("False ConfigurationInvalid", "selected mig-config not present: thirds", "halves");
    assertThat(agent.labels()).containsEntry(STATE, "failed");

    agent.layouts(LAYOUTS.formatted("3g.40gb", "1g.11gb"));
    agent.label(WANTED, "quarters");
    awaitWords("False LayoutImpossible", "GPU 1", "has no MIG profile 1g.11gb");

    agent.layouts("version: v1\nmig-configs:\n  quarters:\n  - devices: sum\n");
    awaitWords(
        "False ConfigurationInvalid",
        "ConfigMap %s/mig-layouts key config.yaml:".formatted(namespace.name()),
        "mig-configs.quarters[0]");
    assertThat(agent.gpus().simulate("show")).isEqualTo(before);

    agent.layouts(LAYOUTS.formatted("3g.40gb", "1g.20gb"));
    await().atMost(LIMIT).until(() -> isConfigured("quarters"));
  }

  @Test
  void hungGpu_doesNotKeepOthersFromBeingDivided() throws Exception {
    agent.startKubelet();
    agent.start();
    awaitState("success");
    agent.gpus().hang(GPU + 1);
    await().atMost(LIMIT).until(() -> agent.condition("Healthy").startsWith("False"));

    agent.label(WANTED, "halves");
    passTimeForReadiness();
    await().atMost(LIMIT).until(() -> isConfigured("halves"));

    agent.label(WANTED, "all-disabled");
    passTimeForReadiness();
    awaitWords("False GpuUnreadable", "GPU 2 cannot be read");
    agent.gpus().release(GPU + 1);
    await().atMost(LIMIT).until(() -> isConfigured("all-disabled"));
  }

  @Test
  void aPodInTheWayIsNamedAndWaitedFor() throws Exception {
    agent.startKubelet();
    agent.start();
    awaitState("success");
    var held =
        new TestPodResources.Held(
            namespace.name(),
            "trainer",
            "0b2a4e2e-6f0a-4a3e-9d8d-0c5f9d3c1f12",
            agent.gpus().gpus().get(GPU).uuid());
    pods.close();
    pods = TestPodResources.start(agent.gpus().hostRoot(), held);
    agent.label(WANTED, "halves");
    awaitWords(
        "False WaitingForPods", "GPU 1 is held by pod %s/trainer".formatted(namespace.name()));
    assertThat(agent.labels()).containsEntry(STATE, "pending");

    agent.provideDocument(DOCUMENT.formatted("Refuse"));
    awaitWords("False Busy", "GPU 1 is held by pod %s/trainer".formatted(namespace.name()));
    assertThat(agent.labels()).containsEntry(STATE, "failed");
    pods.close();
    pods = TestPodResources.start(agent.gpus().hostRoot());
    await().atMost(LIMIT).until(() -> isConfigured("halves"));
  }

  @Test
  void nothingIsWrittenWhereNothingChanges() throws Exception {
    agent.label(WANTED, "halves");
    agent.startKubelet();
    agent.start();
    await().atMost(LIMIT).until(() -> isConfigured("halves"));
    awaitQuiet(versions());
    agent.stop();
    String before = versions();

    agent.start();

    await().during(WHILE).atMost(LIMIT).until(() -> versions().equals(before));
  }

  /// NVML is not closed as long as a call hangs, so the agent waits in vain for it.
  private void passTimeForReadiness() {
    await().atMost(LIMIT).until(() -> agent.condition(CONDITION).equals("False Changing"));
    agent.pass(MigLimits.USUAL.forReadiness());
  }

  /// Returns when nothing was written for a while.
  private void awaitQuiet(String first) {
    var last = new AtomicReference<>(first);
    await().during(WHILE).atMost(LIMIT).until(() -> last.getAndSet(versions()).equals(last.get()));
  }

  private String versions() {
    return agent.liveNode().getMetadata().getResourceVersion()
        + " "
        + agent.gpuNode().at("/metadata/resourceVersion").asText();
  }

  private boolean isConfigured(String layout) {
    return agent.condition(CONDITION).equals("True Configured")
        && agent.message(CONDITION).contains(layout)
        && "success".equals(agent.labels().get(STATE));
  }

  private void awaitState(String state) {
    await().atMost(LIMIT).until(() -> state.equals(agent.labels().get(STATE)));
  }

  private void awaitWords(String condition, String... words) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(agent.condition(CONDITION)).isEqualTo(condition);
          assertThat(agent.message(CONDITION)).contains(words);
        });
    await().atMost(LIMIT).until(() -> !"success".equals(agent.labels().get(STATE)));
  }

  private List<String> reasons() {
    String uid = agent.liveNode().getMetadata().getUid();
    return agent.events().stream()
        .filter(event -> uid.equals(event.getRegarding().getUid()))
        .map(Event::getReason)
        .filter(reason -> reason.startsWith("Mig"))
        .toList();
  }

  /// No list that the kubelet got was without one of the other GPUs, or called it unhealthy.
  private void assertOthersStayed(PluginClient.Watch watch) {
    List<String> others =
        agent.gpus().gpus().stream()
            .filter(gpu -> gpu.index() != GPU)
            .map(SimulatedGpu::uuid)
            .toList();
    var lists = new ArrayList<ListAndWatchResponse>();
    for (Optional<ListAndWatchResponse> list = watch.poll();
        list.isPresent();
        list = watch.poll()) {
      lists.add(list.get());
    }
    assertThat(lists)
        .hasSizeGreaterThan(1)
        .allSatisfy(list ->
            assertThat(
                    list.getDevicesList().stream()
                        .filter(device -> device.getHealth().equals("Healthy"))
                        .map(Device::getID))
                .containsAll(others));
  }
}
