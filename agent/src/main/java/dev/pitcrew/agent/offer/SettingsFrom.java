package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.plugin.PluginSettings;
import dev.pitcrew.agent.plugin.PluginSettings.DeviceSpecs;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The plugin's settings, as the configuration and the node's device files make them.
final class SettingsFrom {
  private SettingsFrom() {}

  /// @param devRoot the root of the device nodes on the host
  /// @param specified the classes of the CDI specifications that were written
  static PluginSettings config(
      AgentConfig config, DeviceNodes nodes, String devRoot, Set<String> specified) {
    return new PluginSettings(
        Set.copyOf(config.plugin().deviceListStrategies()),
        config.plugin().deviceIdStrategy(),
        config.plugin().sharedAllocationPolicy(),
        deviceSpecs(config, nodes, devRoot),
        config.cdi().annotationPrefix(),
        CdiChoice.injections(config.cdi().extraDevices()).collect(Collectors.toSet()),
        CdiChoice.specified(config, specified),
        imexChannels(config, nodes),
        Optional.of(config.plugin().mpsRoot()).filter(_ -> config.sharesByMps()));
  }

  static boolean usesCdi(AgentConfig config) {
    return config.plugin().deviceListStrategies().stream().anyMatch(DeviceListStrategy::isCdi);
  }

  /// Whether the kubelet is asked to pass device files; with CDI strategies alone it is not.
  static boolean passesNodes(AgentConfig config) {
    boolean isCdiOnly =
        config.plugin().deviceListStrategies().stream().allMatch(DeviceListStrategy::isCdi);
    return config.plugin().passDeviceSpecs() && !isCdiOnly;
  }

  private static Optional<DeviceSpecs> deviceSpecs(
      AgentConfig config, DeviceNodes nodes, String devRoot) {
    return Optional.of(DeviceSpecs.of(devRoot, path -> nodes.node(path).isPresent()))
        .filter(_ -> config.plugin().passDeviceSpecs());
  }

  /// Those of the configuration that the node has.
  static List<Integer> imexChannels(AgentConfig config, DeviceNodes nodes) {
    return config.plugin().imex().channels().stream()
        .filter(channel -> nodes.node(DeviceNodes.imexChannel(channel)).isPresent())
        .toList();
  }
}
