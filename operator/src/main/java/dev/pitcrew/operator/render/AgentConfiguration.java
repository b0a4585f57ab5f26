package dev.pitcrew.operator.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.api.node.AgentPolicy;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The agents' configuration: the functions that they provide and the sections of the ClusterPolicy
/// that configure these, as the user wrote them. The agent reads the sections with the same records
/// as the operator.
public final class AgentConfiguration {
  /// Only what the agent reads: the settings of other operands may be confidential.
  private static final List<String> SECTIONS =
      List.of(
          "cdi",
          "devicePlugin",
          "gdrcopy",
          "gds",
          "gfd",
          "hostPaths",
          "mig",
          "nodeStatusExporter",
          "toolkit",
          "validator");

  /// Of these sections only some fields.
  private static final Map<String, List<String>> PARTS =
      Map.of(
          "driver", List.of("enabled", "rdma"),
          "operator", List.of("defaultRuntime", "runtimeClass"),
          "dcgmExporter",
              List.of(
                  "config",
                  "enabled",
                  "enablePodLabels",
                  "enablePodUID",
                  "env",
                  "hpcJobMapping",
                  "podLabelAllowlistRegex"),
          "migManager", List.of("config", "enabled", "env", "gpuClientsConfig"));

  private AgentConfiguration() {}

  public static ConfigMap configMap(
      String name, AgentSpec agent, AgentOrders orders, RenderContext context) {
    JsonNode document = ApiJson.tree(document(agent, orders, context.spec()));
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(context.namespace())
        .addToLabels("app", name)
        .endMetadata()
        .addToData(AgentDocument.KEY, document.toPrettyString() + "\n")
        .build();
  }

  private static AgentDocument document(
      AgentSpec agent, AgentOrders orders, ClusterPolicySpec spec) {
    return new AgentDocument(
        AgentDocument.API_VERSION,
        names(FunctionsInForce.of(agent, spec).functions()),
        orders.handingBack().isEmpty() ? Absent.list() : names(orders.handingBack()),
        policy(spec),
        orders.health(),
        orders.mig(),
        orders.dra().forAgents(),
        orders.startupTaint(),
        Map.of());
  }

  private static List<String> names(List<AgentFunction> functions) {
    return functions.stream()
        // Not the agents' work: a container of the drivers' pods does it.
        .filter(function -> function != AgentFunction.DRIVER_MANAGER)
        .map(ApiJson::tree)
        .map(JsonNode::asText)
        .toList();
  }

  private static AgentPolicy policy(ClusterPolicySpec spec) {
    JsonNode all = ApiJson.tree(spec);
    ObjectNode policy = JsonNodeFactory.instance.objectNode();
    SECTIONS.stream().filter(all::has).forEach(section -> policy.set(section, all.get(section)));
    PARTS.forEach((section, fields) ->
        part(all.path(section), fields).ifPresent(part -> policy.set(section, part)));
    return ApiJson.read(policy, AgentPolicy.class);
  }

  private static Optional<ObjectNode> part(JsonNode section, List<String> fields) {
    ObjectNode part = JsonNodeFactory.instance.objectNode();
    fields.stream().filter(section::has).forEach(field -> part.set(field, section.get(field)));
    return Optional.of(part).filter(it -> !it.isEmpty());
  }
}
