package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          Running   | containers: [{resources: {limits: {nvidia.com/gpu: "1"}}}]                    | true
          Running   | containers: [{resources: {requests: {nvidia.com/gpu: "1"}}}]                  | true
          Pending   | containers: [{}, {resources: {limits: {nvidia.com/mig-1g.5gb: "2"}}}]         | true
          Running   | initContainers: [{resources: {limits: {nvidia.com/gpu: "1"}}}]                | true
          Running   | containers: [{resources: {limits: {nvidia.com/gpu: "0"}}}]                    | false
          Running   | containers: [{resources: {requests: {nvidia.com/gpu: "0"}}}]                  | false
          Running   | containers: [{resources: {limits: {nvidia.com/gpu: "0", nvidia.com/pgpu: 1}}}] | true
          Running   | initContainers: [{resources: {limits: {nvidia.com/gpu: "0"}}}]                | false
          Running   | containers: [{resources: {limits: {cpu: "1"}}}]                               | false
          Succeeded | containers: [{resources: {limits: {nvidia.com/gpu: "1"}}}]                    | false
          Failed    | containers: [{resources: {limits: {nvidia.com/gpu: "1"}}}]                    | false
          """)
  void aPodHoldsAGpuWhileItRunsAndAsksForAtLeastOne(String phase, String spec, boolean holds)
      throws Exception {
    var pod =
        YAML.readTree(
            """
            metadata: {namespace: team, name: trainer}
            spec: {%s}
            status: {phase: %s}
            """
                .formatted(spec, phase));

    assertThat(new PodObservation("gpu-operator", _ -> false).of(List.of(pod)).gpuHolders())
        .isEqualTo(holds ? List.of("team/trainer") : List.of());
  }

  @Test
  void aPodHoldsAGpuByAClaimUntilItEnds() throws Exception {
    var running = pod("b", "[]", PLUGIN);
    var another = pod("a", "[]", PLUGIN);
    var ended = YAML.readTree("{metadata: {namespace: team, name: c}, status: {phase: Failed}}");

    assertThat(
            new PodObservation("gpu-operator", _ -> true)
                .of(List.of(running, another, ended))
                .gpuHolders())
        .containsExactly("team/a", "team/b");
  }

  @Test
  void onlyAnAgentOfTheOperatorsNamespaceCounts() throws Exception {
    assertThat(hasAgent("gpu-operator", "pitcrew-agent")).isTrue();
    assertThat(hasAgent("team", "pitcrew-agent")).isFalse();
    assertThat(hasAgent("gpu-operator", "pitcrew-operator")).isFalse();
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
    return hasAgent("gpu-operator", "pitcrew-agent", state, isReady);
  }

  private static boolean hasAgent(String namespace, String app) throws Exception {
    return hasAgent(namespace, app, "{running: {}}", true);
  }

  private static boolean hasAgent(String namespace, String app, String state, boolean isReady)
      throws Exception {
    var agent =
        YAML.readTree(
            """
            metadata: {namespace: %s, name: agent, labels: {app: %s}}
            spec: {containers: [{name: main}]}
            status: {phase: Running, containerStatuses: [{name: main, state: %s, ready: %s}]}
            """
                .formatted(namespace, app, state, isReady));
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
