package dev.pitcrew.agent.config;

import dev.pitcrew.device.allocation.SharedPolicy;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.List;

/// The effective configuration of the node agent.
///
/// @param failOnInitError whether a node whose NVML cannot be opened is an error
public record AgentConfig(
    MigStrategy migStrategy,
    boolean failOnInitError,
    DiscoveryStrategy discovery,
    DriverRoots roots,
    Sharing sharing,
    PluginConfig plugin,
    CdiConfig cdi,
    LabelConfig labels) {

  /// Whether GPUs are shared through MPS daemons.
  public boolean sharesByMps() {
    return sharing.strategy() == Sharing.Strategy.MPS;
  }

  /// The same with another hook program in CDI specifications.
  ///
  /// @param path on the host
  public AgentConfig withHook(String path) {
    var other =
        new CdiConfig(
            cdi.annotationPrefix(),
            path,
            cdi.featureFlags(),
            cdi.disabledHooks(),
            cdi.extraDevices());
    return new AgentConfig(
        migStrategy, failOnInitError, discovery, roots, sharing, plugin, other, labels);
  }

  /// Where the driver is.
  ///
  /// @param driver on the host
  /// @param dev where its device nodes are on the host
  /// @param driverInContainer where `driver` is mounted for this program
  public record DriverRoots(String driver, String dev, String driverInContainer) {}

  /// The device plugin's own settings.
  ///
  /// @param kubeletSocket an empty text registers nowhere
  /// @param mpsRoot an empty text where MPS is not used
  public record PluginConfig(
      List<DeviceListStrategy> deviceListStrategies,
      DeviceIdStrategy deviceIdStrategy,
      SharedPolicy sharedAllocationPolicy,
      boolean passDeviceSpecs,
      String kubeletSocket,
      String mpsRoot,
      Imex imex) {
    public PluginConfig {
      deviceListStrategies = List.copyOf(deviceListStrategies);
    }
  }

  /// IMEX channels for every container with a GPU.
  public record Imex(List<Integer> channels, boolean required) {
    public Imex {
      channels = List.copyOf(channels);
    }
  }

  /// What goes into CDI specifications, and how they are referred to.
  public record CdiConfig(
      String annotationPrefix,
      String hookPath,
      List<String> featureFlags,
      List<String> disabledHooks,
      ExtraDevices extraDevices) {
    public CdiConfig {
      featureFlags = List.copyOf(featureFlags);
      disabledHooks = List.copyOf(disabledHooks);
    }
  }

  /// Devices beside the GPUs that containers with a GPU get.
  public record ExtraDevices(boolean gdrcopy, boolean gds, boolean mofed) {}

  /// How labels are made and where they go.
  ///
  /// @param outputFile an empty text is standard output
  /// @param machineTypeFile an empty text where the machine is not to be named
  public record LabelConfig(
      boolean oneshot,
      boolean noTimestamp,
      SleepInterval sleepInterval,
      String outputFile,
      String machineTypeFile,
      boolean useNodeFeatureApi,
      Cluster cluster) {}

  /// How the API server is reached, and with which identity.
  public record Cluster(
      String kubeconfig,
      double queriesPerSecond,
      int burst,
      String namespace,
      String nodeName,
      String podName) {}
}
