package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.plugin.StartRefusal;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.mps.MpsPlan;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.util.List;
import java.util.Optional;

/// Why `pitcrew plugin` ends where the device plugin would not start (device plugin, start and
/// failure policy). Pure.
final class PluginRefusal {
  private PluginRefusal() {}

  /// Because of the node as it is seen first.
  static Optional<String> of(AgentConfig config, NodeSnapshot first) {
    return switch (first) {
      case NodeSnapshot.WithoutDriver(var reason, _) ->
          Optional.of(
                  "no GPU can be read: " + reason + "; check the driver, --driver-root and --nvml")
              .filter(_ -> config.failOnInitError() || isWithoutLibraryForCdi(config, reason));
      case NodeSnapshot.WithDriver _ -> {
        Allocatable allocatable = NodeOffer.allocatable(config, first);
        yield StartRefusal.of(allocatable).or(() -> unshareable(config, allocatable));
      }
    };
  }

  private static Optional<String> unshareable(AgentConfig config, Allocatable allocatable) {
    return MpsPlan.of(allocatable.resources()).refused().values().stream()
        .findFirst()
        .filter(_ -> config.sharesByMps());
  }

  /// Specifications cannot even be tried without the library, whatever is asked for.
  private static boolean isWithoutLibraryForCdi(AgentConfig config, String reason) {
    return reason.endsWith(NvmlError.LIBRARY_NOT_FOUND.meaning())
        && config.plugin().deviceListStrategies().stream().anyMatch(DeviceListStrategy::isCdi);
  }

  /// Because of the configuration alone.
  static Optional<String> of(AgentConfig config, List<Integer> missingChannels) {
    return missing(missingChannels).filter(_ -> config.plugin().imex().required());
  }

  /// What is configured and the node does not have.
  static Optional<String> missing(List<Integer> channels) {
    return Optional.of(
            "imex.channelIDs is %s: the node has no such device below /dev/nvidia-caps-imex-channels"
                .formatted(channels))
        .filter(_ -> !channels.isEmpty());
  }
}
