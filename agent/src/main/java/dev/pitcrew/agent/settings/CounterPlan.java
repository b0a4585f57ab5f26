package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.agent.metrics.counters.CounterProblem;
import dev.pitcrew.agent.metrics.counters.FieldTable;
import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.agent.settings.SettingsSource.WatchedConfigMap;
import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.node.AgentDocument;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The list of counters that a ConfigMap gives. One error in it leaves the list before in force, as
/// a whole.
///
/// @param ignored settings without an effect
/// @param waiting why it is not known yet what is written
/// @param toStore the ConfigMap as it was when its list was right last
record CounterPlan(
    CounterSettings settings,
    List<SettingsProblem> ignored,
    Optional<String> waiting,
    Optional<WatchedConfigMap> toStore) {
  /// The key that the operator mounts for NVIDIA's dcgm-exporter.
  static final String KEY = "dcgm-metrics.csv";

  /// The key that the exporter reads where it asks the API server itself.
  private static final String KEY_BY_VARIABLE = "metrics";

  private static final String CONFIGMAP_DATA = "DCGM_EXPORTER_CONFIGMAP_DATA";
  private static final CounterPlan OF_DEFAULTS =
      new CounterPlan(CounterSettings.DEFAULTS, List.of(), Optional.empty(), Optional.empty());

  /// Which list is said to be served.
  ///
  /// @param field of the ClusterPolicy that says so
  private record Said(String configMap, String key, String field) {}

  static CounterPlan of(AgentDocument document, SettingsSource source, Optional<Settings> before) {
    if (FunctionRules.unwanted(NodeFunction.METRICS, document).isPresent()) {
      return OF_DEFAULTS;
    }
    DcgmExporterSpec exporter = document.clusterPolicy().dcgmExporter();
    String data = ExporterEnvironment.literals(exporter).getOrDefault(CONFIGMAP_DATA, "none");
    String prefix = source.namespace() + ":";
    if (data.isEmpty() || data.equals("none")) {
      return byName(exporter, source, before);
    }
    if (data.startsWith(prefix) && data.length() > prefix.length()) {
      String name = data.substring(prefix.length());
      return of(new Said(name, KEY_BY_VARIABLE, variable(CONFIGMAP_DATA)), source, before);
    }
    var error =
        SettingError.inPolicy(
            variable(CONFIGMAP_DATA),
            data,
            "the agent reads ConfigMaps of its own namespace; give %sNAME".formatted(prefix));
    return byName(exporter, source, before)
        .but(error.with(new Consequence.NoEffect(), Set.of(NodeFunction.METRICS)));
  }

  private CounterPlan but(SettingsProblem problem) {
    return new CounterPlan(settings, List.of(problem), waiting, toStore);
  }

  /// Why the list is not the one that is written, and what was said without effect.
  List<SettingsProblem> problems() {
    Consequence consequence =
        settings.list().isPresent()
            ? new Consequence.StillUsing("")
            : new Consequence.UsingDefaults();
    return Stream.concat(
            ignored.stream(),
            settings.problems().stream()
                .map(CounterPlan::error)
                .map(it -> it.with(consequence, Set.of(NodeFunction.METRICS))))
        .toList();
  }

  private static CounterPlan byName(
      DcgmExporterSpec exporter, SettingsSource source, Optional<Settings> before) {
    return exporter
        .config()
        .reference()
        .filter(_ -> ExporterEnvironment.countersFile(exporter).isEmpty())
        .map(name -> of(new Said(name, KEY, "dcgmExporter.config.name"), source, before))
        .orElse(OF_DEFAULTS);
  }

  private static String variable(String name) {
    return "dcgmExporter.env[%s]".formatted(name);
  }

  private static CounterPlan of(Said said, SettingsSource source, Optional<Settings> before) {
    Optional<CounterSettings.Text> last = before.flatMap(it -> it.counters().list());
    Optional<WatchedConfigMap> seen = source.configMap(said.configMap());
    if (seen.isEmpty()) {
      return unseen(said, source, before);
    }
    String place = "ConfigMap %s/%s".formatted(source.namespace(), said.configMap());
    Optional<Map<String, String>> data = seen.get().data();
    if (data.isEmpty()) {
      return wrong(
          said,
          last,
          "ClusterPolicy spec." + said.field(),
          said.configMap(),
          "there is no such ConfigMap in namespace %s; create it".formatted(source.namespace()));
    }
    if (!data.get().containsKey(said.key())) {
      return wrong(
          said,
          last,
          place,
          "",
          "it has no key %s; write the counters there".formatted(said.key()));
    }
    var text =
        new CounterSettings.Text(
            "%s key %s".formatted(place, said.key()), data.get().get(said.key()));
    List<CounterProblem> problems = last.equals(Optional.of(text)) ? List.of() : problems(text);
    return problems.isEmpty()
        ? new CounterPlan(settings(said, Optional.of(text)), List.of(), Optional.empty(), seen)
        : wrong(said, last, problems);
  }

  /// Metrics that are served go on as they are.
  private static CounterPlan unseen(Said said, SettingsSource source, Optional<Settings> before) {
    Optional<Settings> serving = before.filter(it -> it.isOn(NodeFunction.METRICS));
    Optional<CounterSettings.Text> last = serving.flatMap(it -> it.counters().list());
    Optional<String> waiting =
        serving.isPresent()
            ? Optional.empty()
            : Optional.of(
                "ConfigMap %s/%s was not looked for yet"
                    .formatted(source.namespace(), said.configMap()));
    return new CounterPlan(settings(said, last), List.of(), waiting, stored(said, last));
  }

  private static CounterPlan wrong(
      Said said, Optional<CounterSettings.Text> last, String field, String value, String remedy) {
    return wrong(said, last, List.of(new CounterProblem(field, 0, value, remedy)));
  }

  private static CounterPlan wrong(
      Said said, Optional<CounterSettings.Text> last, List<CounterProblem> problems) {
    return new CounterPlan(
        new CounterSettings(Optional.of(said.configMap()), last, problems),
        List.of(),
        Optional.empty(),
        stored(said, last));
  }

  private static Optional<WatchedConfigMap> stored(Said said, Optional<CounterSettings.Text> list) {
    return list.map(
        it -> new WatchedConfigMap(said.configMap(), Optional.of(Map.of(said.key(), it.text()))));
  }

  private static CounterSettings settings(Said said, Optional<CounterSettings.Text> list) {
    return new CounterSettings(Optional.of(said.configMap()), list, List.of());
  }

  private static List<CounterProblem> problems(CounterSettings.Text text) {
    return CounterList.parse(FieldTable.load(), text.place(), text.text()).problems();
  }

  private static SettingError error(CounterProblem problem) {
    String field =
        problem.line() == 0 ? problem.file() : problem.file() + " line " + problem.line();
    return new SettingError(field, problem.value(), problem.remedy());
  }
}
