package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.metrics.plan.MetricsEnvironment;
import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.EnvVar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The variables that the operator would give the metrics exporter.
final class ExporterEnvironment {
  private static final String TRUE = "true";
  private static final String COLLECTORS = "DCGM_EXPORTER_COLLECTORS";
  private static final String MOUNTED = "/etc/dcgm-exporter/" + CounterPlan.KEY;

  private ExporterEnvironment() {}

  static Map<String, String> variables(DcgmExporterSpec exporter) {
    var variables = new LinkedHashMap<String, String>();
    variables.put("DCGM_EXPORTER_LISTEN", ":9400");
    variables.put("DCGM_EXPORTER_KUBERNETES", TRUE);
    if (exporter.hpcJobMapping().isEnabled()) {
      variables.put("DCGM_HPC_JOB_MAPPING_DIR", exporter.hpcJobMapping().directoryOrDefault());
    }
    if (exporter.isPodLabelsEnabled()) {
      variables.put("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS", TRUE);
    }
    if (exporter.isPodUidEnabled()) {
      variables.put("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID", TRUE);
    }
    if (!exporter.podLabelAllowlistRegex().isEmpty()) {
      variables.put(
          "DCGM_EXPORTER_KUBERNETES_POD_LABEL_ALLOWLIST_REGEX",
          String.join(",", exporter.podLabelAllowlistRegex()));
    }
    variables.putAll(literals(exporter));
    if (countersFile(exporter).isEmpty()) {
      variables.remove(COLLECTORS);
    }
    return variables;
  }

  /// What a user gives; the last of several values counts.
  static Map<String, String> literals(DcgmExporterSpec exporter) {
    var literals = new LinkedHashMap<String, String>();
    exporter.env().stream()
        .filter(OperandEnvironment::isLiteral)
        .forEach(entry -> literals.put(entry.name(), entry.valueOrDefault()));
    return literals;
  }

  /// The counters file that a user gives by its path; empty for the one that the operator mounts
  /// for NVIDIA's dcgm-exporter.
  static String countersFile(DcgmExporterSpec exporter) {
    String path = literals(exporter).getOrDefault(COLLECTORS, "");
    return path.equals(MOUNTED) ? "" : path;
  }

  /// What is said and has no effect.
  static List<SettingsProblem> problems(DcgmExporterSpec exporter) {
    var errors = new ArrayList<SettingError>();
    MetricsEnvironment.read(variables(exporter), "")
        .invalid()
        .forEach(wrong -> errors.add(env(wrong.variable(), wrong.value(), wrong.remedy())));
    exporter.env().stream()
        .filter(entry -> !OperandEnvironment.isLiteral(entry))
        .map(EnvVar::name)
        .forEach(name ->
            errors.add(
                env(
                    name,
                    "valueFrom",
                    "the agent takes literal values only; give the value itself")));
    return errors.stream()
        .map(it -> it.with(new Consequence.NoEffect(), Set.of(NodeFunction.METRICS)))
        .toList();
  }

  private static SettingError env(String variable, String value, String remedy) {
    return SettingError.inPolicy("dcgmExporter.env[%s]".formatted(variable), value, remedy);
  }
}
