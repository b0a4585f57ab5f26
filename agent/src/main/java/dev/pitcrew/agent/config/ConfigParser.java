package dev.pitcrew.agent.config;

import dev.pitcrew.agent.config.AgentConfig.CdiConfig;
import dev.pitcrew.agent.config.AgentConfig.Cluster;
import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import dev.pitcrew.agent.config.AgentConfig.ExtraDevices;
import dev.pitcrew.agent.config.AgentConfig.Imex;
import dev.pitcrew.agent.config.AgentConfig.LabelConfig;
import dev.pitcrew.agent.config.AgentConfig.PluginConfig;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing.Strategy;
import java.util.Map;
import java.util.Optional;

/// Merges what flags, environment and file say, in this order, into one configuration.
public final class ConfigParser {
  private final Program program;
  private final Findings findings = new Findings();
  private final ConfigFile file;
  private final Layers layers;

  private ConfigParser(Program program, ConfigSources sources) {
    this.program = program;
    this.file = ConfigFile.parse(sources.fileText(), findings);
    this.layers = new Layers(program, sources, file.values(), findings);
  }

  /// Where the configuration file is, as flags and environment say; empty where none is named.
  public static Optional<String> filePath(Program program, ConfigSources sources) {
    var layers = new Layers(program, sources, Map.of(), new Findings());
    return Optional.of(layers.value(Setting.CONFIG_FILE)).filter(path -> !path.isEmpty());
  }

  /// The effective configuration, or everything that is wrong with it.
  public static ParsedConfig parse(Program program, ConfigSources sources) {
    return new ConfigParser(program, sources).parsed();
  }

  private ParsedConfig parsed() {
    AgentConfig config = config();
    if (program == Program.PLUGIN) {
      checkPlugin(config);
    }
    return findings.problems().isEmpty()
        ? new ParsedConfig.Accepted(config, findings.warnings())
        : new ParsedConfig.Rejected(findings.problems());
  }

  private AgentConfig config() {
    return new AgentConfig(
        layers.value(Setting.MIG_STRATEGY),
        layers.value(Setting.FAIL_ON_INIT_ERROR),
        layers.value(Setting.DISCOVERY),
        roots(),
        file.sharing(),
        plugin(),
        cdi(),
        labels());
  }

  private DriverRoots roots() {
    String driver = layers.value(Setting.DRIVER_ROOT);
    String dev = layers.value(Setting.DEV_ROOT);
    return new DriverRoots(
        driver, dev.isEmpty() ? driver : dev, layers.value(Setting.DRIVER_ROOT_IN_CONTAINER));
  }

  private PluginConfig plugin() {
    return new PluginConfig(
        layers.value(Setting.DEVICE_LIST_STRATEGY),
        layers.value(Setting.DEVICE_ID_STRATEGY),
        layers.value(Setting.SHARED_ALLOCATION_POLICY),
        layers.value(Setting.PASS_DEVICE_SPECS),
        layers.value(Setting.KUBELET_SOCKET),
        layers.value(Setting.MPS_ROOT),
        new Imex(layers.value(Setting.IMEX_CHANNELS), layers.value(Setting.IMEX_REQUIRED)));
  }

  private CdiConfig cdi() {
    return new CdiConfig(
        layers.value(Setting.CDI_ANNOTATION_PREFIX),
        layers.value(Setting.CDI_HOOK_PATH),
        layers.value(Setting.CDI_FEATURE_FLAGS),
        layers.value(Setting.CDI_DISABLED_HOOKS),
        new ExtraDevices(
            layers.value(Setting.GDRCOPY), layers.value(Setting.GDS), layers.value(Setting.MOFED)));
  }

  private LabelConfig labels() {
    return new LabelConfig(
        layers.value(Setting.ONESHOT),
        layers.value(Setting.NO_TIMESTAMP),
        layers.value(Setting.SLEEP_INTERVAL),
        layers.value(Setting.OUTPUT_FILE),
        layers.value(Setting.MACHINE_TYPE_FILE),
        layers.value(Setting.USE_NODE_FEATURE_API),
        cluster());
  }

  private Cluster cluster() {
    return new Cluster(
        layers.value(Setting.KUBECONFIG),
        layers.value(Setting.KUBE_API_QPS),
        layers.value(Setting.KUBE_API_BURST),
        layers.value(Setting.NAMESPACE),
        layers.value(Setting.NODE_NAME),
        layers.value(Setting.POD_NAME));
  }

  private void checkPlugin(AgentConfig config) {
    boolean mps = config.sharing().strategy() == Strategy.MPS;
    if (mps && config.migStrategy() == MigStrategy.MIXED) {
      problem(
          Setting.MIG_STRATEGY,
          "mixed",
          "MPS cannot share MIG devices; give none, or share by sharing.timeSlicing");
    }
    if (mps && config.plugin().mpsRoot().isEmpty()) {
      problem(
          Setting.MPS_ROOT, "", "sharing.mps needs the folder of the MPS daemons; give its path");
    }
  }

  private void problem(Setting<?> setting, String value, String remedy) {
    String where =
        layers.said(setting).map(Layers.Said::where).orElse("--" + setting.flag().name());
    findings.problem(where, value, remedy);
  }
}
