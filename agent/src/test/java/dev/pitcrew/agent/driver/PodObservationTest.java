package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Which pods a label takes off the node, and whose word is waited for.
class PodObservationTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final YAMLMapper YAML = new YAMLMapper();

  @Test
  void onlyPodsOfDaemonSetsGoWithALabel() throws Exception {
    var pods =
        List.of(
            pod("plugin", "[{kind: DaemonSet, controller: true}]", PLUGIN),
            pod("own", "[{kind: DaemonSet, controller: true}]", "example.com/own"),
            pod("of-deployment", "[{kind: ReplicaSet, controller: true}]", PLUGIN),
            pod("of-two", "[{kind: DaemonSet}, {kind: Job, controller: true}]", PLUGIN),
            pod("bare", "[]", PLUGIN));

    assertThat(new PodObservation("gpu-operator", _ -> false).of(pods).selecting())
        .isEqualTo(Map.of(PLUGIN, Set.of("team/plugin"), "example.com/own", Set.of("team/own")));
  }

  @Test
  void aNetworkCardIsNoGpu() throws Exception {
    var pods =
        List.of(asking("trainer", "nvidia.com/gpu.shared"), asking("mpi", "nvidia.com/rdma"));

    assertThat(new PodObservation("gpu-operator", _ -> false).of(pods).gpuHolders())
        .containsExactly("team/trainer");
  }

  @Test
  void anAgentCountsWhileItIsAtWorkAndNotBetweenCrashes() throws Exception {
    var running = "{running: {startedAt: 2026-11-23T08:00:00Z}}";

    assertThat(hasAgent(running, true)).isTrue();
    assertThat(hasAgent(running, false)).as("its container starts the program anew").isFalse();
    assertThat(hasAgent("{waiting: {reason: CrashLoopBackOff}}", false)).isFalse();
    assertThat(hasAgent("{terminated: {exitCode: 1}}", false)).isFalse();
  }

  private static boolean hasAgent(String state, boolean isReady) throws Exception {
    var agent =
        YAML.readTree(
            """
            metadata: {namespace: gpu-operator, name: agent, labels: {app: pitcrew-agent}}
            spec: {containers: [{name: main}]}
            status: {phase: Running, containerStatuses: [{name: main, state: %s, ready: %s}]}
            """
                .formatted(state, isReady));
    return new PodObservation("gpu-operator", _ -> false).of(List.of(agent)).hasAgent();
  }

  private static JsonNode asking(String name, String resource) throws Exception {
    return YAML.readTree(
        """
        metadata: {namespace: team, name: %s}
        spec: {containers: [{name: main, resources: {limits: {%s: "1"}}}]}
        """
            .formatted(name, resource));
  }

  private static JsonNode pod(String name, String owners, String label) throws Exception {
    return YAML.readTree(
        """
        metadata: {namespace: team, name: %s, ownerReferences: %s}
        spec: {nodeSelector: {%s: "true"}, containers: [{name: main}]}
        """
            .formatted(name, owners, label));
  }
}
