package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.api.node.TaintEffect;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AgentConfigurationTest {

  @Test
  void theAgentReadsWhatTheOperatorWrites() {
    var document =
        read(written("{\"enabled\": true, \"functions\": [\"labels\", \"devicePlugin\"]}", ""));

    assertThat(document.apiVersion()).isEqualTo(AgentDocument.API_VERSION);
    assertThat(document.functions()).containsExactly("labels", "devicePlugin");
    assertThat(document.clusterPolicy()).isEqualTo(read("{\"apiVersion\": \"v\"}").clusterPolicy());
  }

  @Test
  void sectionsStandAsTheUserWroteThemAndThoseOfOtherOperandsStayOut() {
    String policy =
        """
        devicePlugin: {enabled: false, env: [{name: A, value: "1"}], ours: {later: 1}}
        dcgmExporter: {enabled: false, image: x, env: [{name: A, value: "1"}]}
        dcgm: {enabled: false}
        vgpuManager: {enabled: true}
        driver: {version: "580", rdma: {enabled: true}}
        """;

    assertThat(ApiJson.tree(read(written("{}", policy)).clusterPolicy()).toString())
        .isEqualTo(
            "{\"devicePlugin\":{\"enabled\":false,\"env\":[{\"name\":\"A\",\"value\":\"1\"}],"
                + "\"ours\":{\"later\":1}},"
                + "\"dcgmExporter\":{\"enabled\":false,\"env\":[{\"name\":\"A\",\"value\":\"1\"}]},"
                + "\"driver\":{\"rdma\":{\"enabled\":true}}}");
  }

  @Test
  void settingsOfTheFleetPolicy_reachTheAgents() {
    var fleet =
        ApiJson.read(
            """
            {"apiVersion": "pitcrew.dev/v1alpha1", "kind": "FleetPolicy", "metadata": {"name": "fleet"},
             "spec": {"health": {"taintFrom": "NeedsReset", "taintEffect": "NoExecute"}, "mig": {"busy": "Refuse"},
             "dra": {"nodeSelector": {"zone": "a"}, "featureGates": {"MPSSupport": false}, "consumableShares": 4}, "startupTaint": true}}
            """,
            JsonNode.class);
    var document =
        read(
            AgentConfiguration.configMap(
                AgentDocument.CONFIG_MAP,
                AgentSpec.ABSENT,
                AgentOrders.of(Optional.of(fleet)),
                Rendered.context("", Facts.oneNode())));

    assertThat(document.health().taintLevel()).contains(HealthLevel.NEEDS_RESET);
    assertThat(document.health().taintEffectOrDefault()).isEqualTo(TaintEffect.NO_EXECUTE);
    assertThat(document.mig().busyOrDefault()).isEqualTo(MigBusy.REFUSE);
    assertThat(document.hasStartupTaint()).isTrue();
    assertThat(document.dra().nodeSelector()).isEqualTo(Map.of("zone", "a"));
    assertThat(document.dra().featureGates()).isEqualTo(Map.of("MPSSupport", false));
    assertThat(document.dra().consumableShares()).isEqualTo(IntOrString.of(4));
  }

  private static AgentDocument read(ConfigMap configMap) {
    return read(configMap.getData().getOrDefault(AgentDocument.KEY, ""));
  }

  private static AgentDocument read(String json) {
    return ApiJson.read(json, AgentDocument.class);
  }

  private static ConfigMap written(String agent, String policy) {
    return AgentConfiguration.configMap(
        AgentDocument.CONFIG_MAP,
        ApiJson.read(agent, AgentSpec.class),
        AgentOrders.NONE,
        Rendered.context(policy, Facts.oneNode()));
  }
}
