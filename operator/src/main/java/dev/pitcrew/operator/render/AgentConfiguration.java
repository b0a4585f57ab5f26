package dev.pitcrew.operator.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.List;

/// What the operator tells the agents: the functions that they provide and the sections of the
/// ClusterPolicy that configure these, as the user wrote them. The agent reads the sections with
/// the same records as the operator.
public final class AgentConfiguration {
  static final String KEY = "agent.json";
  private static final String VERSION = "pitcrew.dev/v1alpha1";
  private static final List<String> SECTIONS =
      List.of(
          "cdi",
          "dcgm",
          "dcgmExporter",
          "devicePlugin",
          "driver",
          "gdrcopy",
          "gds",
          "gfd",
          "hostPaths",
          "mig",
          "migManager",
          "nodeStatusExporter",
          "operator",
          "toolkit",
          "validator");

  private AgentConfiguration() {}

  public static ConfigMap configMap(String name, AgentSpec agent, RenderContext context) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(context.namespace())
        .addToLabels("app", name)
        .endMetadata()
        .addToData(KEY, document(agent, context).toPrettyString() + "\n")
        .build();
  }

  private static ObjectNode document(AgentSpec agent, RenderContext context) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("apiVersion", VERSION);
    document.set("functions", ApiJson.tree(agent).path("functions"));
    JsonNode spec = ApiJson.tree(context.spec());
    ObjectNode policy = document.putObject("clusterPolicy");
    SECTIONS.stream().filter(spec::has).forEach(section -> policy.set(section, spec.get(section)));
    return document;
  }
}
