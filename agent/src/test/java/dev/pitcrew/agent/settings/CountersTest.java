package dev.pitcrew.agent.settings;

import static dev.pitcrew.agent.settings.NodeFunction.METRICS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The list of counters that a ConfigMap gives.
class CountersTest {
  private static final String KEY = "dcgm-metrics.csv";
  private static final String NAMED = "{'dcgmExporter': {'config': {'name': 'counters'}}}";
  private static final String LIST = "DCGM_FI_DEV_GPU_TEMP, gauge, Temperature\n";
  private static final String OTHER = "DCGM_FI_DEV_SM_CLOCK, gauge, Clock\n";

  @Test
  void theListIsTheKeyThatTheReferenceMounts() {
    var settings = named(Map.of(KEY, LIST)).settings();

    assertThat(settings.configMaps()).containsExactly("counters");
    assertThat(text(settings)).isEqualTo(LIST);
    assertThat(settings.isOn(METRICS)).isTrue();
    assertThat(settings.problems()).isEmpty();
  }

  @Test
  void aVariableMayNameItInstead() {
    var said =
        Said.everything()
            .policy(variables("DCGM_EXPORTER_CONFIGMAP_DATA", "gpu-operator:other"))
            .configMap("other", Optional.of(Map.of("metrics", OTHER)));

    assertThat(text(said.settings())).isEqualTo(OTHER);
    assertThat(said.settings().configMaps()).containsExactly("other");
  }

  @Test
  void aFileOfTheUsersOwnGoesBeforeAndTheMountedOneDoesNot() {
    var own = Said.everything().policy(variables("DCGM_EXPORTER_COLLECTORS", "/etc/own.csv"));
    var mounted =
        Said.everything()
            .policy(variables("DCGM_EXPORTER_COLLECTORS", "/etc/dcgm-exporter/" + KEY))
            .configMap("counters", Optional.of(Map.of(KEY, LIST)));

    assertThat(own.settings().configMaps()).isEmpty();
    assertThat(own.settings().exporter()).containsEntry("DCGM_EXPORTER_COLLECTORS", "/etc/own.csv");
    assertThat(text(mounted.settings())).isEqualTo(LIST);
    assertThat(mounted.settings().exporter()).doesNotContainKey("DCGM_EXPORTER_COLLECTORS");
  }

  @Test
  void configMapOfMetricsThatAreOff_isNotWatched() {
    var said = Said.everything().functions("labels").policy(NAMED);

    assertThat(said.settings().configMaps()).isEmpty();
  }

  @Test
  void theFirstListIsWaitedForAndALaterOneIsNot() {
    var unseen = Said.everything().policy(NAMED);

    assertThat(unseen.settings().isOn(METRICS)).isFalse();
    assertThat(unseen.after(Said.everything().policy("{}")).settings().isOn(METRICS)).isTrue();
    assertThat(text(unseen.after(named(Map.of(KEY, LIST))).settings())).isEqualTo(LIST);
  }

  static Stream<Arguments> errors() {
    return Stream.of(
        Arguments.of(
            named(Map.of(KEY, LIST + "DCGM_FI_DEV_GPU_TMP, gauge, x\n")),
            "ConfigMap gpu-operator/counters key dcgm-metrics.csv line 2 is 'DCGM_FI_DEV_GPU_TMP':"
                + " no field of this name (is DCGM_FI_DEV_GPU_TEMP meant?); correct it, or remove"
                + " the row"),
        Arguments.of(
            named(Map.of(KEY, "DCGM_FI_DEV_GPU_TEMP, gauge\n")),
            "ConfigMap gpu-operator/counters key dcgm-metrics.csv line 1 is 'DCGM_FI_DEV_GPU_TEMP,"
                + " gauge': write exactly three columns: field, type, help; quote a help text with"
                + " a comma in it"),
        Arguments.of(
            named(Map.of(KEY, "DCGM_FI_DEV_GPU_TEMP, gage, x\n")),
            "ConfigMap gpu-operator/counters key dcgm-metrics.csv line 1 is 'gage': no type of a"
                + " metric; write one of gauge, counter, histogram, summary, label"),
        Arguments.of(
            named(Map.of(KEY, "")),
            "ConfigMap gpu-operator/counters key dcgm-metrics.csv is 'no counters': name at least"
                + " one field, such as DCGM_FI_DEV_GPU_TEMP"),
        Arguments.of(
            named(Map.of("metrics.csv", LIST)),
            "ConfigMap gpu-operator/counters: it has no key dcgm-metrics.csv; write the counters"
                + " there"),
        Arguments.of(
            Said.everything().policy(NAMED).configMap("counters", Optional.empty()),
            "ClusterPolicy spec.dcgmExporter.config.name is 'counters': there is no such ConfigMap"
                + " in namespace gpu-operator; create it"));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void aMistakeLeavesTheListBeforeInForce(Said wrong, String message) {
    var after = wrong.after(named(Map.of(KEY, OTHER))).settings();

    assertThat(text(after)).isEqualTo(OTHER);
    assertThat(after.problems()).hasSize(1);
    assertThat(after.problems().getFirst().message())
        .isEqualTo(message + "; still using the previous configuration");
    assertThat(after.problems().getFirst().functions()).containsExactly(METRICS);
  }

  @ParameterizedTest
  @MethodSource("errors")
  void withoutAListBeforeTheDefaultsAreServed(Said wrong, String message) {
    var settings = wrong.settings();

    assertThat(settings.isOn(METRICS)).isTrue();
    assertThat(settings.counters().list()).isEmpty();
    assertThat(settings.counters().problems()).hasSize(1);
    assertThat(settings.problems().getFirst().message())
        .isEqualTo(message + "; using the defaults");
  }

  @Test
  void theLastRightListOutlivesTheProcess() {
    var wrong = named(Map.of(KEY, "NO_FIELD, gauge, x")).after(named(Map.of(KEY, LIST)));
    var stored = SettingsText.read(SettingsText.write(wrong.source())).orElseThrow();

    assertThat(text(SettingsPlan.decide(stored, Optional.empty()).settings())).isEqualTo(LIST);
  }

  @Test
  void aConfigMapOfAnotherNamespaceIsRefused() {
    var settings =
        Said.everything()
            .policy(variables("DCGM_EXPORTER_CONFIGMAP_DATA", "monitoring:other"))
            .configMap("counters", Optional.of(Map.of(KEY, LIST)))
            .settings();

    assertThat(text(settings)).isEqualTo(LIST);
    assertThat(settings.problems())
        .singleElement()
        .satisfies(it ->
            assertThat(it.message())
                .isEqualTo(
                    "ClusterPolicy spec.dcgmExporter.env[DCGM_EXPORTER_CONFIGMAP_DATA] is"
                        + " 'monitoring:other': the agent reads ConfigMaps of its own namespace;"
                        + " give gpu-operator:NAME; all else is in force"));
  }

  private static Said named(Map<String, String> data) {
    return Said.everything().policy(NAMED).configMap("counters", Optional.of(data));
  }

  private static String variables(String name, String value) {
    return "{'dcgmExporter': {'config': {'name': 'counters'}, 'env': [{'name': '%s', 'value': '%s'}]}}"
        .formatted(name, value);
  }

  private static String text(Settings settings) {
    return settings.counters().list().map(CounterSettings.Text::text).orElse("");
  }
}
