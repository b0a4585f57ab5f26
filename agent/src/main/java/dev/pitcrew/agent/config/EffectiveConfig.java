package dev.pitcrew.agent.config;

import dev.pitcrew.core.text.GoText;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A configuration as NVIDIA's programs log it at start: the keys of the file with the effective
/// values, in their order. The parser accepts it as the same configuration.
public final class EffectiveConfig {
  private EffectiveConfig() {}

  /// Maps, lists, texts, numbers and truths, ready to be written as JSON.
  public static Map<String, Object> of(Program program, AgentConfig config) {
    var view = new LinkedHashMap<String, Object>();
    view.put("version", "v1");
    view.put("flags", flags(program, config));
    view.put("sharing", sharing(config.sharing()));
    view.put("imex", imex(config.plugin().imex()));
    return view;
  }

  private static Map<String, Object> flags(Program program, AgentConfig config) {
    var flags = new LinkedHashMap<String, Object>();
    flags.put("migStrategy", config.migStrategy().name().toLowerCase(Locale.ROOT));
    flags.put("failOnInitError", config.failOnInitError());
    flags.put("mpsRoot", config.plugin().mpsRoot());
    flags.put("nvidiaDriverRoot", config.roots().driver());
    flags.put("nvidiaDevRoot", config.roots().dev());
    flags.put("gdrcopyEnabled", config.cdi().extraDevices().gdrcopy());
    flags.put("gdsEnabled", config.cdi().extraDevices().gds());
    flags.put("mofedEnabled", config.cdi().extraDevices().mofed());
    flags.put("useNodeFeatureAPI", config.labels().useNodeFeatureApi());
    flags.put("deviceDiscoveryStrategy", config.discovery().value());
    switch (program) {
      case PLUGIN -> flags.put("plugin", plugin(config));
      case LABELS -> flags.put("gfd", labels(config.labels()));
    }
    return flags;
  }

  private static Map<String, Object> plugin(AgentConfig config) {
    AgentConfig.PluginConfig plugin = config.plugin();
    var view = new LinkedHashMap<String, Object>();
    view.put("passDeviceSpecs", plugin.passDeviceSpecs());
    view.put(
        "deviceListStrategy",
        plugin.deviceListStrategies().stream().map(DeviceListStrategy::value).toList());
    view.put("deviceIDStrategy", plugin.deviceIdStrategy().value());
    view.put("cdiAnnotationPrefix", config.cdi().annotationPrefix());
    view.put("nvidiaCTKPath", config.cdi().hookPath());
    view.put("containerDriverRoot", config.roots().driverInContainer());
    view.put("sharedDevicesAllocationPolicy", plugin.sharedAllocationPolicy().value());
    return view;
  }

  private static Map<String, Object> labels(AgentConfig.LabelConfig labels) {
    var view = new LinkedHashMap<String, Object>();
    view.put("oneshot", labels.oneshot());
    view.put("noTimestamp", labels.noTimestamp());
    view.put("sleepInterval", interval(labels.sleepInterval()));
    view.put("outputFile", labels.outputFile());
    view.put("machineTypeFile", labels.machineTypeFile());
    return view;
  }

  private static String interval(SleepInterval interval) {
    return switch (interval) {
      case SleepInterval.Every(var duration) -> GoText.written(duration);
      case SleepInterval.Infinite() -> "infinite";
    };
  }

  private static Map<String, Object> sharing(Sharing sharing) {
    return switch (sharing.strategy()) {
      case NONE -> Map.of();
      case TIME_SLICING -> Map.of("timeSlicing", way(sharing));
      case MPS -> Map.of("mps", way(sharing));
    };
  }

  private static Map<String, Object> way(Sharing sharing) {
    var view = new LinkedHashMap<String, Object>();
    view.put(
        "renameByDefault",
        sharing.resources().stream().anyMatch(resource -> resource.rename().isPresent()));
    view.put("failRequestsGreaterThanOne", sharing.failRequestsGreaterThanOne());
    view.put("resources", sharing.resources().stream().map(EffectiveConfig::resource).toList());
    return view;
  }

  private static Map<String, Object> resource(SharedResource resource) {
    var view = new LinkedHashMap<String, Object>();
    view.put("name", resource.resource());
    resource.rename().ifPresent(name -> view.put("rename", name));
    view.put("devices", devices(resource.devices()));
    view.put("replicas", resource.replicas());
    return view;
  }

  private static Object devices(DeviceSelection devices) {
    return switch (devices) {
      case DeviceSelection.All() -> "all";
      case DeviceSelection.First(int count) -> count;
      case DeviceSelection.Listed(var references) -> references;
    };
  }

  private static Map<String, Object> imex(AgentConfig.Imex imex) {
    return imex.channels().isEmpty()
        ? Map.of()
        : Map.of("channelIDs", List.copyOf(imex.channels()));
  }
}
