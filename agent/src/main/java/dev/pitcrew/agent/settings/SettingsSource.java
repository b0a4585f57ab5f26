package dev.pitcrew.agent.settings;

import dev.pitcrew.core.names.NodeLabels;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Everything that settings are made from. It keeps only what counts, so that equal sources mean
/// that nothing has happened.
///
/// @param namespace of the operator and its ConfigMaps
/// @param agentJson the operator's document; empty where it is not there
/// @param nodeLabels those of this node; only the ones that count are kept: those of operands, and
///   those that the document names
/// @param configMaps those of [Settings#configMaps()] that were looked for
/// @param kernelModules those that are loaded; only the ones that count are kept
public record SettingsSource(
    String namespace,
    Optional<String> agentJson,
    Map<String, String> nodeLabels,
    Set<WatchedConfigMap> configMaps,
    Set<String> kernelModules) {
  /// The label by which a node chooses its device plugin configuration.
  public static final String CONFIG_LABEL = "nvidia.com/device-plugin.config";

  static final String GDRCOPY_MODULE = "gdrdrv";
  static final String GDS_MODULE = "nvidia_fs";
  private static final Set<String> MODULES = Set.of(GDRCOPY_MODULE, GDS_MODULE);

  public SettingsSource {
    nodeLabels =
        nodeLabels.entrySet().stream()
            .filter(label -> counts(label.getKey()) || isNamed(agentJson, label.getKey()))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    configMaps = Set.copyOf(configMaps);
    kernelModules =
        kernelModules.stream().filter(MODULES::contains).collect(Collectors.toUnmodifiableSet());
  }

  /// A ConfigMap that was looked for.
  ///
  /// @param data empty where there is no such ConfigMap
  public record WatchedConfigMap(String name, Optional<Map<String, String>> data) {
    public WatchedConfigMap {
      data = data.map(Map::copyOf);
    }
  }

  /// Empty until it was looked for.
  Optional<WatchedConfigMap> configMap(String name) {
    return configMaps.stream().filter(it -> it.name().equals(name)).findFirst();
  }

  SettingsSource withAgentJson(String text) {
    return new SettingsSource(namespace, Optional.of(text), nodeLabels, configMaps, kernelModules);
  }

  /// With this ConfigMap in place of the one of its name.
  SettingsSource with(WatchedConfigMap map) {
    var maps = new HashSet<>(configMaps);
    maps.removeIf(it -> it.name().equals(map.name()));
    maps.add(map);
    return new SettingsSource(namespace, agentJson, nodeLabels, maps, kernelModules);
  }

  /// This source on the node as it is in `now`, except for the configuration that it chooses.
  SettingsSource onNode(SettingsSource now) {
    var labels =
        now.nodeLabels.entrySet().stream()
            .filter(label -> !label.getKey().equals(CONFIG_LABEL))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    Optional.ofNullable(nodeLabels.get(CONFIG_LABEL))
        .ifPresent(chosen -> labels.put(CONFIG_LABEL, chosen));
    return new SettingsSource(namespace, agentJson, labels, configMaps, now.kernelModules);
  }

  /// Selectors of the document name further labels.
  private static boolean isNamed(Optional<String> agentJson, String label) {
    return agentJson.filter(text -> text.contains('"' + label + '"')).isPresent();
  }

  private static boolean counts(String label) {
    return label.equals(CONFIG_LABEL) || label.startsWith(NodeLabels.DEPLOY_PREFIX);
  }
}
