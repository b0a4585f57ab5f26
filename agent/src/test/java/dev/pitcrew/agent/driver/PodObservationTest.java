package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.driver.plan.Observed;
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
        of(
            pod("plugin", "[{kind: DaemonSet, controller: true}]", PLUGIN),
            pod("own", "[{kind: DaemonSet, controller: true}]", "example.com/own"),
            pod("of-deployment", "[{kind: ReplicaSet, controller: true}]", PLUGIN),
            pod("of-two", "[{kind: DaemonSet}, {kind: Job, controller: true}]", PLUGIN),
            pod("bare", "[]", PLUGIN));

    assertThat(pods.selecting())
        .isEqualTo(Map.of(PLUGIN, Set.of("team/plugin"), "example.com/own", Set.of("team/own")));
  }

  @Test
  void aPodThatHasEndedGoesWithNoLabel() throws Exception {
    var ended =
        YAML.readTree(
            """
            metadata: {namespace: team, name: c, ownerReferences: [{kind: DaemonSet, controller: true}]}
            spec: {nodeSelector: {%s: "true"}}
            status: {phase: Failed}
            """
                .formatted(PLUGIN));

    assertThat(of(ended).selecting()).isEmpty();
  }

  @Test
  void anAgentCountsWhileItIsAtWorkAndNotBetweenCrashes() throws Exception {
    var running = "{running: {startedAt: 2026-11-23T08:00:00Z}}";

    assertThat(hasAgent(running, true)).isTrue();
    assertThat(hasAgent(running, false)).as("its container starts the program again").isFalse();
    assertThat(hasAgent("{waiting: {reason: CrashLoopBackOff}}", false)).isFalse();
    assertThat(hasAgent("{terminated: {exitCode: 1}}", false)).isFalse();
  }

  private static boolean hasAgent(String state, boolean isReady) throws Exception {
    return of(YAML.readTree(
            """
            metadata: {namespace: gpu-operator, name: agent, labels: {app: pitcrew-agent}}
            spec: {containers: [{name: main}]}
            status: {phase: Running, containerStatuses: [{name: main, state: %s, ready: %s}]}
            """
                .formatted(state, isReady)))
        .hasAgent();
  }

  private static Observed.Pods of(JsonNode... pods) {
    return PodObservation.of(List.of(pods), List.of());
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
