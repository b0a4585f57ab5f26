package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.SettingsSource.WatchedConfigMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What operator, node and user say, built in a few calls. [#all] has every function of the agent
/// on a node where each operand may run, and a policy that says nothing.
final class Said {
  static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  static final String DISCOVERY = "nvidia.com/gpu.deploy.gpu-feature-discovery";
  static final String TOOLKIT = "nvidia.com/gpu.deploy.container-toolkit";

  private final Map<String, String> labels = new HashMap<>();
  private final Set<String> modules = new HashSet<>();
  private List<String> functions = List.of("labels", "devicePlugin", "cdi");
  private List<String> handingBack = List.of();
  private String policy = "{}";
  private String dra = "{}";
  private @Nullable String document;
  private final Map<String, WatchedConfigMap> configMaps = new HashMap<>();
  private boolean hasDocument = true;

  private Said() {}

  static Said all() {
    return new Said().label(PLUGIN, "true").label(DISCOVERY, "true").label(TOOLKIT, "true");
  }

  /// An agent that provides all that it can.
  static Said everything() {
    return all()
        .label("nvidia.com/gpu.deploy.operator-validator", "true")
        .label("nvidia.com/gpu.deploy.node-status-exporter", "true")
        .label("nvidia.com/gpu.deploy.dcgm-exporter", "true")
        .label("nvidia.com/gpu.deploy.mig-manager", "true")
        .claimsOn("{}")
        .functions(NodeFunction.names().toArray(String[]::new));
  }

  Said functions(String... names) {
    this.functions = List.of(names);
    return this;
  }

  /// What operands provide again, node by node.
  Said handingBack(String... names) {
    this.handingBack = List.of(names);
    return this;
  }

  /// The `spec` of the ClusterPolicy, in JSON with single quotes.
  Said policy(String json) {
    this.policy = json.replace('\'', '"');
    return this;
  }

  /// Which nodes serve claims.
  ///
  /// @param nodeSelector in JSON with single quotes
  Said claimsOn(String nodeSelector) {
    this.dra = "{\"nodeSelector\": %s}".formatted(nodeSelector.replace('\'', '"'));
    return this;
  }

  /// The features of the DRA driver.
  ///
  /// @param featureGates in JSON with single quotes
  Said draFeatures(String featureGates) {
    this.dra = "{\"featureGates\": %s}".formatted(featureGates.replace('\'', '"'));
    return this;
  }

  /// How the nodes serve claims.
  ///
  /// @param section in JSON with single quotes
  Said dra(String section) {
    this.dra = section.replace('\'', '"');
    return this;
  }

  /// The text in place of a document.
  Said document(String text) {
    this.document = text.replace('\'', '"');
    return this;
  }

  Said withoutDocument() {
    this.hasDocument = false;
    return this;
  }

  Said label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  Said withoutLabel(String key) {
    labels.remove(key);
    return this;
  }

  Said choosing(String configuration) {
    return label(SettingsSource.CONFIG_LABEL, configuration);
  }

  Said modules(String... names) {
    modules.addAll(List.of(names));
    return this;
  }

  /// The ConfigMap `plugin`, and a policy that names it.
  Said configMap(Map<String, String> data) {
    return policy("{'devicePlugin': {'config': {'name': 'plugin'}}}").files(data);
  }

  /// The ConfigMap `plugin`.
  Said files(Map<String, String> data) {
    return configMap("plugin", Optional.of(data));
  }

  /// A ConfigMap that was looked for.
  Said configMap(String name, Optional<Map<String, String>> data) {
    configMaps.put(name, new WatchedConfigMap(name, data));
    return this;
  }

  Said noSuchConfigMap() {
    return configMap("plugin", Optional.empty());
  }

  SettingsSource source() {
    return new SettingsSource(
        "gpu-operator",
        Optional.of(text()).filter(_ -> hasDocument),
        labels,
        Set.copyOf(configMaps.values()),
        modules);
  }

  Decision decision() {
    return SettingsPlan.decide(source(), Optional.empty());
  }

  Settings settings() {
    return decision().settings();
  }

  Decision after(Said earlier) {
    return SettingsPlan.decide(source(), Optional.of(earlier.decision()));
  }

  private String text() {
    if (document != null) {
      return document;
    }
    return """
    {"apiVersion": "pitcrew.dev/v1alpha1", "functions": %s, "handingBack": %s, "clusterPolicy": %s, "dra": %s}\
    """
        .formatted(array(functions), array(handingBack), policy, dra);
  }

  private static String array(List<String> names) {
    return names.stream()
        .collect(Collectors.joining("\", \"", "[\"", "\"]"))
        .replace("[\"\"]", "[]");
  }
}
