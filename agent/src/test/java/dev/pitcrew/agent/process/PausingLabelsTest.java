package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsSource;
import dev.pitcrew.agent.watch.ClusterState;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Which labels request a pause of the driver.
class PausingLabelsTest {
  private static final String SANDBOX = "nvidia.com/gpu.deploy.sandbox-validator";
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String WORD = "paused-for-driver-upgrade";

  @Test
  void anOperandThatIsNoneOfTheAgentsPausesItToo() {
    assertThat(pause(onNode(Map.of(SANDBOX, WORD, PLUGIN, "true")))).contains(SANDBOX + "=" + WORD);
    assertThat(pause(onNode(Map.of(SANDBOX, "own_" + WORD)))).contains(SANDBOX + "=own_" + WORD);
  }

  @Test
  void otherLabelsPauseNothing() {
    assertThat(pause(NodeState.UNKNOWN)).isEmpty();
    assertThat(pause(onNode(Map.of(SANDBOX, "true", PLUGIN, "false", "example.com/own", WORD))))
        .isEmpty();
  }

  @Test
  void aRememberedPauseHoldsUntilTheNodeIsSeen() {
    var source =
        new SettingsSource(
            "gpu-operator",
            Optional.of("{\"apiVersion\": \"pitcrew.dev/v1alpha1\", \"functions\": [\"health\"]}"),
            Map.of(SANDBOX, WORD),
            Set.of(),
            Set.of());
    NodeState remembered = NodeState.UNKNOWN.with(SettingsPlan.decide(source, Optional.empty()));

    assertThat(pause(remembered)).contains(SANDBOX + "=" + WORD);
    assertThat(pause(remembered.with(seen(Map.of(SANDBOX, "true"))))).isEmpty();
  }

  private static Optional<String> pause(NodeState state) {
    return state.pause().by();
  }

  private static NodeState onNode(Map<String, String> labels) {
    return NodeState.UNKNOWN.with(seen(labels));
  }

  private static ClusterState seen(Map<String, String> labels) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    labels.forEach(node.withObject("/metadata/labels")::put);
    return ClusterState.NOTHING.withNode(new WatchedObject.Present(node));
  }
}
