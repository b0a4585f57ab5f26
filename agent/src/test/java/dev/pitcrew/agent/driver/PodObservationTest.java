package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Which pods a label takes off the node.
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

  private static JsonNode pod(String name, String owners, String label) throws Exception {
    return YAML.readTree(
        """
        metadata: {namespace: team, name: %s, ownerReferences: %s}
        spec: {nodeSelector: {%s: "true"}, containers: [{name: main}]}
        """
            .formatted(name, owners, label));
  }
}
