package dev.pitcrew.operator.render;

import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.operator.render.Images.Source;
import java.util.Optional;

/// The device plugin's configuration by ConfigMap and node label, which plugin, feature discovery
/// and MPS daemon share: an init container picks the file for the node, a side-car follows the
/// label.
public final class PluginConfiguration {
  private static final String INIT = "config-manager-init";
  private static final String SIDECAR = "config-manager";

  private PluginConfiguration() {}

  public static Source image(RenderContext context) {
    return new Source("spec.devicePlugin", context.spec().devicePlugin(), "DEVICE_PLUGIN_IMAGE");
  }

  /// Adds both containers to a shape.
  ///
  /// @param process name of the process that gets a hang-up when the configuration changes
  public static void shape(DaemonSetDraft draft, String process) {
    draft.init(container(INIT, true, "", ""));
    draft.container(container(SIDECAR, false, "1", process).privileged());
  }

  /// The ConfigMap must exist: its volume would hold every pod back.
  public static Optional<Problem> problem(RenderContext context) {
    return References.configMap(
            "spec.devicePlugin.config.name", spec -> spec.devicePlugin().config().reference())
        .problem(context);
  }

  /// Configures both containers, or removes them where the policy names no ConfigMap.
  ///
  /// @param section whose resources the init container gets
  public static void apply(DaemonSetDraft draft, OperandSpec section, RenderContext context) {
    String configMap = configMap(context);
    if (configMap.isEmpty()) {
      draft.remove(INIT).remove(SIDECAR);
      return;
    }
    String volume = Volumes.nameFor(configMap, draft);
    draft
        .main()
        .env("CONFIG_FILE", "/config/config.yaml")
        .mount("config", "/config")
        .mount(volume, "/available-configs");
    if (!draft.usesHostPid()) {
      draft.shareProcesses();
    }
    draft.configMap(volume, configMap);
    draft.volume(Volumes.emptyDir("config"));
    configure(draft.find(INIT), volume, context);
    OperandSettings.resources(draft.find(INIT), section);
    configure(draft.find(SIDECAR), volume, context);
  }

  private static String configMap(RenderContext context) {
    return context.spec().devicePlugin().config().reference().orElse("");
  }

  private static void configure(ContainerDraft container, String volume, RenderContext context) {
    var plugin = context.spec().devicePlugin();
    container
        .image(context.images().path(image(context)))
        .pullPolicy(plugin.imagePullPolicy())
        .env("DEFAULT_CONFIG", plugin.config().defaultNameOrEmpty())
        .env("FALLBACK_STRATEGIES", "empty")
        .mount("config", "/config")
        .mount(volume, "/available-configs");
  }

  private static ContainerDraft container(
      String name, boolean once, String signal, String process) {
    return new ContainerDraft(name)
        .command("config-manager")
        .env("ONESHOT", Boolean.toString(once))
        .env("KUBECONFIG", "")
        .envFromField("NODE_NAME", "spec.nodeName")
        .env("NODE_LABEL", "nvidia.com/device-plugin.config")
        .env("CONFIG_FILE_SRCDIR", "/available-configs")
        .env("CONFIG_FILE_DST", "/config/config.yaml")
        .env("DEFAULT_CONFIG", "")
        .env("SEND_SIGNAL", Boolean.toString(!once))
        .env("SIGNAL", signal)
        .env("PROCESS_TO_SIGNAL", process);
  }
}
