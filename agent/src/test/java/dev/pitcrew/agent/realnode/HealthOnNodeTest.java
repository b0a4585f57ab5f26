package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.GpuPod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A GPU that a pod holds becomes unhealthy on a real node, and recovers; in between the agent is
/// killed. The times are printed, and fail nothing.
@WithGpuNode
class HealthOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration POLL = Duration.ofMillis(10);
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1",
       "functions": ["labels", "devicePlugin", "cdi", "runtime", "validation", "nodeStatus"%s],
       "health": {"recoverAfterSeconds": 2, "taintFrom": "NeedsReset"}, "startupTaint": true,
       "clusterPolicy": {
         "cdi": {"enabled": true},
         "toolkit": {"enabled": true, "env": [{"name": "NRI_SOCKET", "value": "/run/nri/nri.sock"}]},
         "gfd": {"enabled": true}, "nodeStatusExporter": {"enabled": true},
         "devicePlugin": {"enabled": true, "env": [
           {"name": "DEVICE_LIST_STRATEGY", "value": "cdi-cri"},
           {"name": "NVIDIA_CDI_HOOK_PATH", "value": "%s"}]}}}
      """;

  private final GpuNode node;
  private final AgentOnNode agent;

  HealthOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    agent.useDocument(DOCUMENT.formatted(", \"health\"", JvmOnNode.HOOK));
  }

  @BeforeEach
  void start() {
    await("nothing is left of an earlier offer")
        .atMost(LIMIT)
        .until(() -> node.allocatable(GpuNode.GPU) <= 0);
    taint("[{\"key\": \"%s\", \"effect\": \"NoSchedule\"}]".formatted(HealthSigns.NOT_READY));
    long start = System.nanoTime();
    agent.begin("pitcrew-agent");
    await("the start-up taint goes")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> !HealthSigns.taints(node).containsKey(HealthSigns.NOT_READY));
    System.out.printf("start -> no start-up taint: %d ms%n", since(start));
    // A GPU that answers late joins the others later.
    assertThat(node.allocatable(GpuNode.GPU)).isPositive();
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
  }

  @AfterEach
  void close() {
    agent.close();
    taint("[]");
    HealthFault.ALL.forEach(fault ->
        node.gpus().gpus().forEach(gpu -> fault.recover().accept(node.gpus(), gpu.index())));
  }

  @Test
  void everyFault_isReportedAndCleared_thoughTheAgentIsKilledInBetween() {
    try (GpuPod pod = node.run(1)) {
      HealthSigns signs = HealthSigns.of(node, pod);
      System.out.printf(
          "%-24s | %-11s | %-14s | %-14s | %-14s | %-14s | %-14s | %s%n",
          "evidence (ms, and back)",
          "level",
          "kubelet",
          "taint",
          "GPUHealthy",
          "Event of pod",
          "GPUNode",
          "evidence in GPUNode");
      for (HealthFault fault : HealthFault.ALL) {
        suffer(fault, signs);
      }
      assertThat(pod.isRunning()).isTrue();
    }
  }

  @Test
  void gpuThatNeedsAReset_isResetOnceItsPodIsGone_withoutEffectOnOtherPods() {
    agent.useDocument(
        DOCUMENT
            .formatted(", \"health\"", JvmOnNode.HOOK)
            .replace("\"taintFrom\"", "\"resetGpus\": true, \"taintFrom\""));
    try (GpuPod other = node.run(1)) {
      HealthSigns signs;
      try (GpuPod holder = node.run(1)) {
        signs = HealthSigns.of(node, holder);
        HealthFault.REMAP_PENDING.inject().accept(node.gpus(), signs.gpu());
        await("the word that it is held")
            .atMost(LIMIT)
            .untilAsserted(() ->
                assertThat(signs.message())
                    .contains(
                        "it is reset as soon as it is free: it is held by pod default/"
                            + holder.pod().name()));
        System.out.println(signs.message());
        assertThat(holder.isRunning()).isTrue();
      }
      long start = System.nanoTime();
      await("the reset").atMost(LIMIT).until(() -> signs.level().equals("Healthy"));
      awaitOffered(GpuNode.GPUS);
      System.out.printf("pod gone -> reset and well again: %d ms%n", since(start));
      assertThat(other.isRunning()).isTrue();
      assertThat(new HealthSigns(node, signs.gpu(), other).events("GpuUnhealthy")).isZero();
      // Events are sent one by one, beside all else.
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(agent.events())
                  .anyMatch(it -> it.startsWith("GpuResetting: "))
                  .anyMatch(it -> it.startsWith("GpuReset: ")));
      agent.events().forEach(System.out::println);
    }
  }

  private void suffer(HealthFault fault, HealthSigns signs) {
    Map<String, Long> there =
        times(fault, signs, true, () -> fault.inject().accept(node.gpus(), signs.gpu()));
    List<String> evidence = signs.evidence();
    assertThat(evidence).as(fault.name()).anyMatch(it -> it.contains(fault.evidence()));

    agent.kill();
    PluginProcess.awaitRegistered(agent.begin("pitcrew-agent"));
    awaitOffered(fault.isDeviceUnhealthy() ? GpuNode.GPUS - 1 : GpuNode.GPUS);
    assertThat(signs.isTainted()).as("after a kill, %s", fault.name()).isEqualTo(fault.isUnfit());

    Map<String, Long> back =
        times(fault, signs, false, () -> fault.recover().accept(node.gpus(), signs.gpu()));
    System.out.printf(
        "%-24s | %-11s | %-14s | %-14s | %-14s | %-14s | %-14s | %s%n",
        fault.name(),
        fault.level(),
        cell(there, back, "kubelet"),
        cell(there, back, "taint"),
        cell(there, back, "condition"),
        cell(there, back, "event"),
        cell(there, back, "gpunode"),
        evidence);
    assertThat(HealthSigns.taints(node)).isEmpty();
  }

  /// When each of those that look learnt of it, in milliseconds after `event`.
  private Map<String, Long> times(
      HealthFault fault, HealthSigns signs, boolean isUnhealthy, Runnable event) {
    Map<String, BooleanSupplier> watched = watched(fault, signs, isUnhealthy);
    if (fault.isDeviceUnhealthy() && isUnhealthy) {
      int before = signs.events("GpuUnhealthy");
      watched.put("event", () -> signs.events("GpuUnhealthy") > before);
    }
    long start = System.nanoTime();
    event.run();
    var times = new TreeMap<String, Long>();
    await(fault.name() + (isUnhealthy ? "" : ", and back"))
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL)
        .until(() -> {
          watched.forEach((name, holds) -> {
            if (!times.containsKey(name) && holds.getAsBoolean()) {
              times.put(name, since(start));
            }
          });
          return times.keySet().equals(watched.keySet());
        });
    return times;
  }

  private static Map<String, BooleanSupplier> watched(
      HealthFault fault, HealthSigns signs, boolean isUnhealthy) {
    var watched = new TreeMap<String, BooleanSupplier>();
    int healthy = isUnhealthy && fault.isDeviceUnhealthy() ? GpuNode.GPUS - 1 : GpuNode.GPUS;
    watched.put("kubelet", () -> signs.healthyForKubelet() == healthy);
    watched.put("taint", () -> signs.isTainted() == (isUnhealthy && fault.isUnfit()));
    watched.put(
        "condition",
        () -> signs.condition().startsWith(isUnhealthy ? "False GpuUnhealthy" : "True"));
    watched.put("gpunode", () -> signs.level().equals(isUnhealthy ? fault.level() : "Healthy"));
    return watched;
  }

  private void awaitOffered(int healthy) {
    await("GPUs that are well")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .untilAsserted(() ->
            assertThat(node.devices().healthy(GpuNode.GPU))
                .as(agent.lastOutput())
                .isEqualTo(healthy));
  }

  private static String cell(Map<String, Long> there, Map<String, Long> back, String who) {
    return there.containsKey(who)
        ? "%d, %s".formatted(there.get(who), back.containsKey(who) ? back.get(who) : "-")
        : "-";
  }

  private static long since(long start) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private void taint(String taints) {
    node.client()
        .nodes()
        .withName(node.node().name())
        .patch(
            PatchContext.of(PatchType.JSON),
            "[{\"op\": \"add\", \"path\": \"/spec/taints\", \"value\": " + taints + "}]");
  }
}
