package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every kind of evidence, injected into the simulated GPU 1 of a node with four, and what the
/// kubelet, the Node, its taints and the GPUNode make of it; and back.
@WithControlPlane
class LevelsTableTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int GPU = 1;
  private static final String UNHEALTHY_TAINT = "pitcrew.dev/gpu-unhealthy";
  private static final String NOT_READY = "pitcrew.dev/gpu-not-ready";
  private static final String FOREIGN = "team";
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin"%s],
       "health": {"recoverAfterSeconds": 2, "taintFrom": "NeedsReset"}, "startupTaint": true,
       "clusterPolicy": {"devicePlugin": {"enabled": true}, "gfd": {"enabled": true}}}
      """;

  /// @param level as GPUNode has it
  /// @param isUnfit whether pods are to be kept away
  private record Fault(
      String name,
      Consumer<SimulatedNode> inject,
      Consumer<SimulatedNode> recover,
      String level,
      boolean isUnfit,
      boolean isDeviceUnhealthy) {

    /// What the evidence has before the fault may go: a reset ends an Xid where the action that the
    /// GPU asks for was seen.
    String reason() {
      return name.contains("action: reset") ? "asks for a reset" : "";
    }
  }

  private static final List<Fault> FAULTS =
      List.of(
          fault(
              "ECC, double bit",
              it -> it.doubleBitEccError(GPU),
              LevelsTableTest::reset,
              "NeedsReset"),
          fault(
              "row remap pending", set("remap_pending", "1"), LevelsTableTest::reset, "NeedsReset"),
          fault("row remap failed", set("remap_failed", "1"), set("remap_failed", "0"), "Replace"),
          fault("NVLinks down", set("nvlinks_down", "3"), set("nvlinks_down", "0"), "NeedsReset"),
          fault(
              "recovery action: reset",
              set("recovery_action", "1"),
              LevelsTableTest::reset,
              "NeedsReset"),
          fault(
              "recovery action: reboot",
              set("recovery_action", "2"),
              LevelsTableTest::reset,
              "NeedsReboot"),
          fault(
              "Xid 95, action: reset",
              it -> {
                it.xid(GPU, 95);
                it.set(GPU, "recovery_action", "1");
              },
              LevelsTableTest::reset,
              "NeedsReset"),
          new Fault("Xid 999, unknown", it -> it.xid(GPU, 999), _ -> {}, "Degraded", false, true),
          new Fault(
              "thermal slowdown (10 s)",
              set("clock_event_reasons", "64"),
              set("clock_event_reasons", "1"),
              "Degraded",
              false,
              false),
          new Fault(
              "power brake (10 s)",
              set("clock_event_reasons", "128"),
              set("clock_event_reasons", "1"),
              "Degraded",
              false,
              false),
          new Fault("hung", it -> it.hang(GPU), it -> it.release(GPU), "Degraded", false, true),
          fault("off the bus", it -> it.lose(GPU), it -> it.restore(GPU), "NeedsReboot"),
          fault(
              "Xid 79, driver reload",
              it -> it.xid(GPU, 79),
              it -> {
                it.unloadDriver();
                it.loadDriver();
              },
              "NeedsReboot"));

  private RunningAgent agent;
  private PluginClient plugin;
  private PluginClient.Watch watch;
  private ControlPlane plane;
  private final Map<String, String> devices = new TreeMap<>();
  private final Set<String> everUnhealthy = new HashSet<>();

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder) throws Exception {
    this.plane = plane;
    agent =
        RunningAgent.prepare(
            plane,
            namespace.name(),
            folder,
            SimulatedNodeOptions.of("h100").withGpus(4).withDriver("580.95.05", "13.0"));
    taint(
        """
        [{"key": "team", "value": "a", "effect": "NoSchedule"},
         {"key": "pitcrew.dev/gpu-not-ready", "effect": "NoSchedule"}]\
        """);
    agent.provideDocument(DOCUMENT.formatted(", \"health\""));
    TestKubelet kubelet = agent.startKubelet();
    agent.start();
    plugin = kubelet.dial(kubelet.nextRegistration().getEndpoint());
    watch = plugin.watch();
    await().atMost(LIMIT).until(() -> condition().startsWith("True"));
  }

  @AfterEach
  void end() throws IOException {
    plugin.close();
    agent.close();
  }

  @Test
  void everyKindOfEvidence_isReportedAndCleared() throws Exception {
    assertThat(taints()).containsKey(NOT_READY);
    agent.allocatable("nvidia.com/gpu", 4);
    await("the start-up taint goes").atMost(LIMIT).until(() -> !taints().containsKey(NOT_READY));
    System.out.printf(
        "%-24s | %-11s | %-22s | %-22s | %-22s | %s%n",
        "evidence (ms, and back)", "level", "kubelet", "taint", "GPUHealthy", "GPUNode");
    for (Fault fault : FAULTS) {
      everUnhealthy.clear();
      Map<String, Long> there = times(fault, true, () -> fault.inject().accept(agent.gpus()));
      await(fault.name()).atMost(LIMIT).until(() -> evidence().contains(fault.reason()));
      Map<String, Long> back = times(fault, false, () -> fault.recover().accept(agent.gpus()));
      if (!fault.name().contains("driver reload")) {
        assertThat(everUnhealthy).as(fault.name()).isSubsetOf(agent.gpus().gpus().get(GPU).uuid());
      }
      System.out.printf(
          "%-24s | %-11s | %-22s | %-22s | %-22s | %s%n",
          fault.name(),
          fault.level(),
          cell(there, back, "kubelet"),
          cell(there, back, "taint"),
          cell(there, back, "condition"),
          cell(there, back, "gpunode"));
      assertThat(taints()).containsOnlyKeys(FOREIGN);
    }
  }

  @Test
  void withoutTheFunctionNothingIsLeft() throws Exception {
    agent.gpus().set(GPU, "remap_failed", "1");
    await().atMost(LIMIT).until(() -> taints().getOrDefault(UNHEALTHY_TAINT, "").equals("Replace"));

    agent.provideDocument(DOCUMENT.formatted(""));

    await()
        .atMost(LIMIT)
        .until(() -> !taints().containsKey(UNHEALTHY_TAINT) && condition().isEmpty());
    await().atMost(LIMIT).until(() -> level().equals("Healthy"));
  }

  @Test
  void evidenceOutlivesTheAgent() throws Exception {
    agent.gpus().xid(GPU, 95);
    await().atMost(LIMIT).until(() -> taints().containsKey(UNHEALTHY_TAINT));
    await()
        .atMost(LIMIT)
        .until(() ->
            Files.readString(agent.stateFolder().resolve(HealthStore.FILE))
                .contains("\"number\":95"));
    agent.stop();
    agent.start();
    await().atMost(LIMIT).until(() -> agent.state().snapshot().isPresent());
    await()
        .during(Duration.ofSeconds(3))
        .atMost(LIMIT)
        .until(() -> taints().containsKey(UNHEALTHY_TAINT) && level().equals("NeedsReset"));
  }

  @Test
  void podThatHoldsTheDevice_getsOneEvent_thoughTheAgentRestarts(TestNamespace namespace)
      throws Exception {
    var held =
        new TestPodResources.Held(
            namespace.name(),
            "trainer",
            "0b2a4e2e-6f0a-4a3e-9d8d-0c5f9d3c1f11",
            agent.gpus().gpus().get(GPU).uuid());
    try (var _ = TestPodResources.start(agent.gpus().hostRoot(), held)) {
      agent.gpus().set(GPU, "remap_pending", "1");
      await().atMost(LIMIT).until(() -> reasons(namespace).contains("GpuUnhealthy"));
      agent.stop();
      reset(agent.gpus());
      agent.start();
      await().atMost(LIMIT).until(() -> reasons(namespace).contains("GpuRecovered"));
    }
    assertThat(reasons(namespace)).containsExactlyInAnyOrder("GpuUnhealthy", "GpuRecovered");
    assertThat(
            plane.client().events().v1().events().inNamespace(namespace.name()).list().getItems())
        .allSatisfy(event -> {
          assertThat(event.getRegarding().getName()).isEqualTo(held.pod());
          assertThat(event.getRegarding().getUid()).isEqualTo(held.uid());
          System.out.printf("%s %s%n", event.getReason(), event.getNote());
        });
  }

  private List<String> reasons(TestNamespace namespace) {
    return plane
        .client()
        .events()
        .v1()
        .events()
        .inNamespace(namespace.name())
        .list()
        .getItems()
        .stream()
        .map(Event::getReason)
        .toList();
  }

  /// When each of those that look learnt of it, in milliseconds after `event`.
  private Map<String, Long> times(Fault fault, boolean isUnhealthy, Runnable event) {
    Map<String, BooleanSupplier> signs = new TreeMap<>();
    if (fault.isDeviceUnhealthy()) {
      signs.put("kubelet", () -> unhealthyCount() == (isUnhealthy ? 1 : 0));
    }
    if (fault.isUnfit()) {
      signs.put("taint", () -> taints().containsKey(UNHEALTHY_TAINT) == isUnhealthy);
    }
    signs.put(
        "condition", () -> condition().startsWith(isUnhealthy ? "False GpuUnhealthy" : "True"));
    signs.put("gpunode", () -> level().equals(isUnhealthy ? fault.level() : "Healthy"));
    long start = System.nanoTime();
    event.run();
    var times = new TreeMap<String, Long>();
    await(fault.name() + (isUnhealthy ? "" : ", and back"))
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> {
          signs.forEach((name, holds) -> {
            if (!times.containsKey(name) && holds.getAsBoolean()) {
              times.put(name, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            }
          });
          return times.keySet().equals(signs.keySet());
        });
    return times;
  }

  private static String cell(Map<String, Long> there, Map<String, Long> back, String who) {
    return there.containsKey(who) ? "%d, %d".formatted(there.get(who), back.get(who)) : "-";
  }

  private long unhealthyCount() {
    for (var list = watch.poll(); list.isPresent(); list = watch.poll()) {
      devices.clear();
      list.get().getDevicesList().forEach(it -> devices.put(it.getID(), it.getHealth()));
      everUnhealthy.addAll(unhealthy());
    }
    return unhealthy().size();
  }

  private Set<String> unhealthy() {
    return devices.keySet().stream()
        .filter(id -> "Unhealthy".equals(devices.get(id)))
        .collect(Collectors.toSet());
  }

  private Map<String, String> taints() {
    var taints = new TreeMap<String, String>();
    for (Taint taint : agent.liveNode().getSpec().getTaints()) {
      taints.put(taint.getKey(), String.valueOf(taint.getValue()));
    }
    return taints;
  }

  private String condition() {
    var status = agent.liveNode().getStatus();
    List<NodeCondition> conditions = status == null ? List.of() : status.getConditions();
    return conditions.stream()
        .filter(it -> it.getType().equals("GPUHealthy"))
        .map(it -> it.getStatus() + " " + it.getReason())
        .findFirst()
        .orElse("");
  }

  private String level() {
    return health().path("level").asText();
  }

  private String evidence() {
    return health().path("evidence").toString();
  }

  private JsonNode health() {
    for (JsonNode gpu : agent.gpuNode().at("/status/gpus")) {
      if (gpu.path("index").asInt(-1) == GPU) {
        return gpu.path("health");
      }
    }
    return MissingNode.getInstance();
  }

  private void taint(String taints) {
    plane
        .client()
        .nodes()
        .withName(RunningAgent.NODE)
        .patch(
            PatchContext.of(PatchType.JSON),
            "[{\"op\": \"add\", \"path\": \"/spec/taints\", \"value\": " + taints + "}]");
  }

  private static Fault fault(
      String name, Consumer<SimulatedNode> inject, Consumer<SimulatedNode> recover, String level) {
    return new Fault(name, inject, recover, level, true, true);
  }

  private static Consumer<SimulatedNode> set(String key, String value) {
    return node -> node.set(GPU, key, value);
  }

  private static void reset(SimulatedNode node) {
    node.simulate("reset", String.valueOf(GPU), "--force");
  }
}
