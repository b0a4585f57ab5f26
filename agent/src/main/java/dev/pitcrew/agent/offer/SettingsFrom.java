package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.DeviceIdStrategy;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.config.SharedAllocationPolicy;
import dev.pitcrew.agent.plugin.IdStrategy;
import dev.pitcrew.agent.plugin.ListStrategy;
import dev.pitcrew.agent.plugin.PluginSettings;
import dev.pitcrew.agent.plugin.PluginSettings.DeviceSpecs;
import dev.pitcrew.device.allocation.SharedPolicy;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The plugin's settings, as the configuration and the node's device files make them.
final class SettingsFrom {
  private static final String IMEX_CHANNEL = "/dev/nvidia-caps-imex-channels/channel";

  private SettingsFrom() {}

  /// @param specified the classes of the CDI specifications that were written
  static PluginSettings config(AgentConfig config, DeviceNodes nodes, Set<String> specified) {
    return new PluginSettings(
        listStrategies(config),
        idStrategy(config),
        sharedPolicy(config.plugin().sharedAllocationPolicy()),
        deviceSpecs(config, nodes),
        config.cdi().annotationPrefix(),
        CdiChoice.injections(config.cdi().extraDevices()).collect(Collectors.toSet()),
        CdiChoice.specified(config, specified),
        imexChannels(config, nodes));
  }

  static boolean usesCdi(AgentConfig config) {
    return listStrategies(config).stream().anyMatch(ListStrategy::isCdi);
  }

  private static Set<ListStrategy> listStrategies(AgentConfig config) {
    return config.plugin().deviceListStrategies().stream()
        .map(SettingsFrom::listStrategy)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static ListStrategy listStrategy(DeviceListStrategy strategy) {
    return switch (strategy) {
      case ENVVAR -> ListStrategy.ENVVAR;
      case VOLUME_MOUNTS -> ListStrategy.VOLUME_MOUNTS;
      case CDI_ANNOTATIONS -> ListStrategy.CDI_ANNOTATIONS;
      case CDI_CRI -> ListStrategy.CDI_CRI;
    };
  }

  static IdStrategy idStrategy(AgentConfig config) {
    return config.plugin().deviceIdStrategy() == DeviceIdStrategy.UUID
        ? IdStrategy.UUID
        : IdStrategy.INDEX;
  }

  private static SharedPolicy sharedPolicy(SharedAllocationPolicy policy) {
    return switch (policy) {
      case DISTRIBUTED -> SharedPolicy.DISTRIBUTED;
      case PACKED -> SharedPolicy.PACKED;
    };
  }

  private static Optional<DeviceSpecs> deviceSpecs(AgentConfig config, DeviceNodes nodes) {
    List<String> present =
        DeviceSpecs.CONTROL_PATHS.stream().filter(path -> nodes.node(path).isPresent()).toList();
    return Optional.of(new DeviceSpecs(config.roots().dev(), present))
        .filter(_ -> config.plugin().passDeviceSpecs());
  }

  private static List<Integer> imexChannels(AgentConfig config, DeviceNodes nodes) {
    return config.plugin().imex().channels().stream()
        .filter(channel -> nodes.node(IMEX_CHANNEL + channel).isPresent())
        .toList();
  }
}
