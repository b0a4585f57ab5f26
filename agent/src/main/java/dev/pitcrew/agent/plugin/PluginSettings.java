package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.config.DeviceIdStrategy;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.device.allocation.SharedPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// The part of the configuration that shapes the plugin's answers.
///
/// @param deviceSpecs empty unless device files are to be passed (`passDeviceSpecs`)
/// @param cdiAnnotationPrefix before the name of an annotation, such as `cdi.k8s.io/`
/// @param injections what is switched on
/// @param injectionsWithCdi those of them that have a CDI specification on this node
/// @param imexChannels those that were configured and that the node has
/// @param mpsRoot where the host has the folder of the MPS daemons; empty where nothing is shared
///   by MPS
public record PluginSettings(
    Set<DeviceListStrategy> listStrategies,
    DeviceIdStrategy idStrategy,
    SharedPolicy sharedPolicy,
    Optional<DeviceSpecs> deviceSpecs,
    String cdiAnnotationPrefix,
    Set<Injection> injections,
    Set<Injection> injectionsWithCdi,
    List<Integer> imexChannels,
    Optional<String> mpsRoot) {

  public static final PluginSettings DEFAULT =
      new PluginSettings(
          Set.of(DeviceListStrategy.ENVVAR),
          DeviceIdStrategy.UUID,
          SharedPolicy.DISTRIBUTED,
          Optional.empty(),
          "cdi.k8s.io/",
          Set.of(),
          Set.of(),
          List.of(),
          Optional.empty());

  public PluginSettings {
    listStrategies = Set.copyOf(listStrategies);
    injections = Set.copyOf(injections);
    injectionsWithCdi = Set.copyOf(injectionsWithCdi);
    imexChannels = List.copyOf(imexChannels);
  }

  /// Device files for containers whose runtime does not create them automatically.
  ///
  /// @param devRoot where the host has its device files, such as `/` or `/run/nvidia/driver`
  /// @param controlPaths those of [#CONTROL_PATHS] that are there
  public record DeviceSpecs(String devRoot, List<String> controlPaths) {
    /// The files that every container with a GPU needs.
    public static final List<String> CONTROL_PATHS =
        List.of(
            "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset");

    public DeviceSpecs {
      controlPaths = List.copyOf(controlPaths);
    }

    /// @param isThere whether a device file is at this path, as this process sees it
    public static DeviceSpecs of(String devRoot, Predicate<String> isThere) {
      return new DeviceSpecs(devRoot, CONTROL_PATHS.stream().filter(isThere).toList());
    }
  }

  boolean isOn(DeviceListStrategy strategy) {
    return listStrategies.contains(strategy);
  }

  boolean usesCdi() {
    return listStrategies.stream().anyMatch(DeviceListStrategy::isCdi);
  }

  boolean usesOnlyCdi() {
    return listStrategies.stream().allMatch(DeviceListStrategy::isCdi);
  }
}
