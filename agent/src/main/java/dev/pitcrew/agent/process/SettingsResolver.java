package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.settings.Decision;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsSource;
import dev.pitcrew.agent.settings.SettingsSource.WatchedConfigMap;
import dev.pitcrew.agent.watch.ClusterState;
import dev.pitcrew.api.node.AgentDocument;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What follows from what was seen: the settings. They are computed again only when all inputs were
/// seen, so that a starting agent never takes what it has not seen yet for something that is not
/// there.
final class SettingsResolver {
  private SettingsResolver() {}

  static NodeState of(NodeState situation, String namespace) {
    return source(situation, namespace)
        .filter(source -> SettingsPlan.hasDocument(source, situation.decision()))
        .map(source -> concluded(situation, source))
        .orElse(situation);
  }

  /// The ConfigMap of device plugin configurations is known by name only once the operator's
  /// document was read. Until it was looked for, a first decision has to wait; a later one keeps
  /// the configuration in force.
  private static NodeState concluded(NodeState situation, SettingsSource source) {
    Decision decision = SettingsPlan.decide(source, situation.decision());
    Optional<String> wanted = decision.settings().configMap();
    NodeState next = situation.withConfigMapNames(decision.settings().configMaps());
    boolean isComplete =
        wanted.isEmpty()
            || situation.cluster().configMaps().containsKey(wanted.get())
            || situation.decision().isPresent();
    return isComplete ? next.with(decision) : next;
  }

  private static Optional<SettingsSource> source(NodeState situation, String namespace) {
    ClusterState cluster = situation.cluster();
    if (cluster.agentConfig().isEmpty() || cluster.nodeObject().isEmpty()) {
      return Optional.empty();
    }
    return situation
        .host()
        .map(host ->
            new SettingsSource(
                namespace,
                cluster
                    .agentConfig()
                    .flatMap(ClusterState::object)
                    .flatMap(SettingsResolver::document),
                texts(cluster.nodeObject().get().at("/metadata/labels")),
                configMaps(cluster),
                host.kernelModules()));
  }

  private static Optional<String> document(JsonNode configMap) {
    return Optional.of(configMap.path("data").path(AgentDocument.KEY))
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText);
  }

  private static Set<WatchedConfigMap> configMaps(ClusterState cluster) {
    return cluster.configMaps().entrySet().stream()
        .map(seen ->
            new WatchedConfigMap(
                seen.getKey(),
                ClusterState.object(seen.getValue()).map(it -> texts(it.path("data")))))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Map<String, String> texts(JsonNode object) {
    return object.properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().asText()));
  }
}
