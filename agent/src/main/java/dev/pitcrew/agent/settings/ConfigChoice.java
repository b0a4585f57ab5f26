package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.SettingsSource.WatchedConfigMap;
import dev.pitcrew.api.clusterpolicy.DevicePluginConfigSpec;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Which device plugin configuration a node uses, as NVIDIA's config manager chooses it: the node's
/// label, else the policy's default, else none, since the operator makes it fall back to an empty
/// configuration.
sealed interface ConfigChoice {

  /// @param name key in the ConfigMap; empty for an empty configuration
  /// @param place where `text` stands
  /// @param ignored settings without an effect
  record Chosen(String name, String text, String place, List<SettingError> ignored)
      implements ConfigChoice {}

  record Wrong(SettingError error) implements ConfigChoice {}

  /// The ConfigMap was not looked for yet.
  record Pending(String configMap) implements ConfigChoice {}

  static ConfigChoice of(AgentPolicy policy, SettingsSource source) {
    DevicePluginConfigSpec wanted = policy.devicePlugin().config();
    String label = source.nodeLabels().getOrDefault(SettingsSource.CONFIG_LABEL, "");
    if (wanted.reference().isEmpty()) {
      return none("the device plugin configuration", withoutConfigMap(label));
    }
    String name = wanted.reference().get();
    return source
        .configMap(name)
        .map(seen -> among(seen, source.namespace(), label, wanted))
        .orElseGet(() -> new Pending(source.namespace() + "/" + name));
  }

  private static ConfigChoice among(
      WatchedConfigMap seen, String namespace, String label, DevicePluginConfigSpec wanted) {
    if (seen.data().isEmpty()) {
      return wrong(
          "ClusterPolicy spec.devicePlugin.config.name",
          seen.name(),
          "there is no such ConfigMap in namespace %s; create it".formatted(namespace));
    }
    String place = "ConfigMap %s/%s".formatted(namespace, seen.name());
    var named = new Named(files(seen.data().get()), place);
    if (named.files().isEmpty()) {
      return wrong(place, "", "it holds no configuration; add a key with one");
    }
    if (!label.isEmpty()) {
      return named.choose("Node label " + SettingsSource.CONFIG_LABEL, label);
    }
    String byDefault = wanted.defaultNameOrEmpty();
    return byDefault.isEmpty()
        ? none(place, List.of())
        : named.choose("ClusterPolicy spec.devicePlugin.config.default", byDefault);
  }

  private static ConfigChoice none(String place, List<SettingError> ignored) {
    return new Chosen("", "", place, ignored);
  }

  private static ConfigChoice wrong(String field, String value, String remedy) {
    return new Wrong(new SettingError(field, value, remedy));
  }

  private static List<SettingError> withoutConfigMap(String label) {
    return label.isEmpty()
        ? List.of()
        : List.of(
            new SettingError(
                "Node label " + SettingsSource.CONFIG_LABEL,
                label,
                "ClusterPolicy spec.devicePlugin.config.name names no ConfigMap to choose from;"
                    + " give one there"));
  }

  /// Kubernetes keeps files of its own beside those of a ConfigMap.
  private static Map<String, String> files(Map<String, String> data) {
    return data.entrySet().stream()
        .filter(file -> !file.getKey().startsWith(".."))
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /// The configurations of a ConfigMap.
  record Named(Map<String, String> files, String place) {
    ConfigChoice choose(String field, String name) {
      return Optional.ofNullable(files.get(name))
          .<ConfigChoice>map(text -> new Chosen(name, text, place + " key " + name, List.of()))
          .orElseGet(() -> wrong(field, name, remedy()));
    }

    private String remedy() {
      return "%s has no such key; give one of %s"
          .formatted(place, String.join(", ", new TreeSet<>(files.keySet())));
    }
  }
}
