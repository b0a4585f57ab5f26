package dev.pitcrew.agent.settings;

import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The environment that the operator would give the operands in place of which the agent runs, as
/// far as their configuration depends on it. The order in which one variable replaces another is
/// the operator's.
final class OperandEnvironment {
  private static final String DEFAULT_MPS_ROOT = "/run/nvidia/mps";
  private static final String DEFAULT_TOOLKIT = "/usr/local/nvidia";
  private static final String TRUE = "true";

  private final Map<String, Variable> variables = new LinkedHashMap<>();

  private OperandEnvironment() {}

  /// @param modules the kernel modules that are loaded; the start script of the device plugin
  ///   switches features on by them, unless the policy says something of these
  static Map<String, Variable> plugin(AgentPolicy policy, Set<String> modules) {
    var plugin = new OperandEnvironment();
    plugin.set("PASS_DEVICE_SPECS", TRUE, "devicePlugin");
    plugin.set("FAIL_ON_INIT_ERROR", TRUE, "devicePlugin");
    plugin.set("DEVICE_LIST_STRATEGY", "envvar", "cdi.enabled");
    plugin.set("DEVICE_ID_STRATEGY", "uuid", "devicePlugin");
    plugin.features(policy);
    plugin.migStrategy(policy);
    plugin.cdi(policy);
    String mpsRoot = policy.devicePlugin().mps().rootOrDefault();
    plugin.set("MPS_ROOT", or(mpsRoot, DEFAULT_MPS_ROOT), "devicePlugin.mps.root");
    plugin.given(policy.devicePlugin().env(), "devicePlugin");
    plugin.modules(modules);
    return plugin.variables;
  }

  /// The policy's strategy for MIG replaces the one that the user gives this operand.
  static Map<String, Variable> labels(AgentPolicy policy) {
    var labels = new OperandEnvironment();
    labels.set("GFD_SLEEP_INTERVAL", "60s", "gfd");
    labels.set("GFD_FAIL_ON_INIT_ERROR", TRUE, "gfd");
    labels.given(policy.gfd().env(), "gfd");
    labels.migStrategy(policy);
    return labels.variables;
  }

  /// Whether the value is written where a variable of a pod may have it from.
  static boolean isLiteral(EnvVar entry) {
    return !entry.unknown().containsKey("valueFrom");
  }

  private void features(AgentPolicy policy) {
    if (policy.gds().isEnabled()) {
      set("GDS_ENABLED", TRUE, "gds.enabled");
      set("MOFED_ENABLED", TRUE, "gds.enabled");
    }
    if (policy.gdrcopy().isEnabled()) {
      set("GDRCOPY_ENABLED", TRUE, "gdrcopy.enabled");
    }
  }

  private void migStrategy(AgentPolicy policy) {
    policy
        .mig()
        .chosenStrategy()
        .ifPresent(strategy -> set("MIG_STRATEGY", strategy, "mig.strategy"));
  }

  private void cdi(AgentPolicy policy) {
    if (!policy.cdi().isEnabled()) {
      return;
    }
    set("DEVICE_LIST_STRATEGY", "cdi-annotations,cdi-cri", "cdi.enabled");
    set("CDI_ANNOTATION_PREFIX", "cdi.k8s.io/", "cdi.enabled");
    if (policy.toolkit().isEnabled()) {
      String folder = or(policy.toolkit().installDirOrDefault(), DEFAULT_TOOLKIT);
      set("NVIDIA_CDI_HOOK_PATH", folder + "/toolkit/nvidia-cdi-hook", "toolkit.installDir");
    }
  }

  private void given(List<EnvVar> entries, String section) {
    entries.stream()
        .filter(OperandEnvironment::isLiteral)
        .forEach(entry ->
            set(
                entry.name(),
                entry.valueOrDefault(),
                "%s.env[%s]".formatted(section, entry.name())));
  }

  private void modules(Set<String> modules) {
    if (modules.contains(SettingsSource.GDRCOPY_MODULE)) {
      setUnlessSaid("GDRCOPY_ENABLED");
    }
    if (modules.contains(SettingsSource.GDS_MODULE)) {
      setUnlessSaid("GDS_ENABLED");
      setUnlessSaid("MOFED_ENABLED");
    }
  }

  private void setUnlessSaid(String name) {
    Variable said = variables.get(name);
    if (said == null || said.value().isEmpty()) {
      set(name, TRUE, "devicePlugin.env[%s]".formatted(name));
    }
  }

  private void set(String name, String value, String path) {
    variables.put(name, new Variable(value, "ClusterPolicy spec." + path));
  }

  private static String or(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }
}
