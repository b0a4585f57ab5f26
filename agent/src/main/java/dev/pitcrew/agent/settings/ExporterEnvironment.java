package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.metrics.MetricsEnvironment;
import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.EnvVar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The variables that the operator would give the metrics exporter.
final class ExporterEnvironment {
  private static final String TRUE = "true";

  private ExporterEnvironment() {}

  static Map<String, String> variables(DcgmExporterSpec exporter) {
    var variables = new LinkedHashMap<String, String>();
    variables.put("DCGM_EXPORTER_LISTEN", ":9400");
    variables.put("DCGM_EXPORTER_KUBERNETES", TRUE);
    if (exporter.hpcJobMapping().isEnabled()) {
      variables.put("DCGM_HPC_JOB_MAPPING_DIR", exporter.hpcJobMapping().directoryOrDefault());
    }
    exporter.env().stream()
        .filter(OperandEnvironment::isLiteral)
        .forEach(entry -> variables.put(entry.name(), entry.valueOrDefault()));
    return variables;
  }

  /// What is said and has no effect.
  static List<SettingsProblem> problems(DcgmExporterSpec exporter) {
    var mistakes = new ArrayList<Mistake>();
    MetricsEnvironment.read(variables(exporter), "")
        .mistakes()
        .forEach(wrong -> mistakes.add(env(wrong.variable(), wrong.value(), wrong.remedy())));
    exporter.env().stream()
        .filter(entry -> !OperandEnvironment.isLiteral(entry))
        .map(EnvVar::name)
        .forEach(name ->
            mistakes.add(
                env(
                    name,
                    "valueFrom",
                    "the agent takes literal values only; give the value itself")));
    unserved(exporter).ifPresent(mistakes::add);
    return mistakes.stream()
        .map(it -> it.with(new Consequence.NoEffect(), Set.of(NodeFunction.METRICS)))
        .toList();
  }

  private static Mistake env(String variable, String value, String remedy) {
    return Mistake.inPolicy("dcgmExporter.env[%s]".formatted(variable), value, remedy);
  }

  /// What the agent does not do yet.
  private static Optional<Mistake> unserved(DcgmExporterSpec exporter) {
    return exporter
        .config()
        .reference()
        .map(name ->
            Mistake.inPolicy(
                "dcgmExporter.config.name",
                name,
                "the agent serves the default counters; leave FleetPolicy spec.agent.functions without metrics to have this list served by the reference's exporter"));
  }
}
