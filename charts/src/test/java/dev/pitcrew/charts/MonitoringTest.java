package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.prometheus.Promtool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Alerts and dashboards, as Prometheus and Grafana would take them.
class MonitoringTest {
  private static final String ON =
      "{monitoring: {alerts: {enabled: true, labels: {release: prometheus}, runbooks: 'https://a.b/docs/'}, dashboards: {enabled: true}}}";
  private static final Path RULES = Path.of("pitcrew/files/alerts.yaml");
  private static final Path TESTS = Path.of("src/test/resources/alerts");
  private static final Path DOCUMENT = Path.of("../docs/alerts.md");
  private static final Path RECORDED = Path.of("pitcrew/files/recording-rules.yaml");
  private static final Path RECORDED_TESTS = Path.of("src/test/resources/recording/names.yaml");
  private static final Path RECORDED_DOCUMENT = Path.of("../docs/metrics-gpu.md");
  private static final Pattern ALERT = Pattern.compile("(?m)^ +(?:- )?alertname: (\\S+)$");

  @Test
  void neitherIsThereUnlessWanted() {
    assertThat(PitcrewChart.shared().render("{}").has("PrometheusRule/pitcrew")).isFalse();
    assertThat(PitcrewChart.shared().render("{}").has("PrometheusRule/pitcrew-recording-rules"))
        .isFalse();
    assertThat(PitcrewChart.shared().render("{}").has("ConfigMap/pitcrew-dashboard-fleet"))
        .isFalse();
  }

  @Test
  void theRulesAreThoseOfTheFileWithTheAddressOfTheDocumentation() throws IOException {
    JsonNode rule = PitcrewChart.shared().render(ON).object("PrometheusRule/pitcrew");

    assertThat(rule.at("/metadata/labels/release").asText()).isEqualTo("prometheus");
    assertThat(rule.at("/spec").toString())
        .isEqualTo(Yaml.document(RULES).toString().replace("RUNBOOKS/", "https://a.b/docs/"));
  }

  @Test
  void prometheusTakesTheRules(@TempDir Path folder) throws IOException {
    CommandRun run = Promtool.in(folder).checkRules(Files.readString(RULES));

    assertThat(run.status()).as(run.output()).isZero();
  }

  @Test
  void everyAlertFiresAndResolves(@TempDir Path folder) throws IOException {
    var tested = new ArrayList<String>();
    try (var files = Files.list(TESTS)) {
      for (Path file : files.sorted().toList()) {
        String tests = Files.readString(file).replace("RULES", RULES.toAbsolutePath().toString());
        CommandRun run = Promtool.in(folder).testRules(tests);
        assertThat(run.status()).as(file + "\n" + run.output()).isZero();
        ALERT.matcher(tests).results().forEach(it -> tested.add(it.group(1)));
      }
    }
    assertThat(Set.copyOf(tested))
        .isEqualTo(Set.copyOf(alerts().map(it -> it.at("/alert").asText()).toList()));
    System.out.println(Set.copyOf(tested).size() + " alerts fire and resolve");
  }

  /// Each rule has a test of its value, and stands in the table of the documentation as it is.
  @Test
  void recordedNamesAreThoseOfTheDocumentation(@TempDir Path folder) throws IOException {
    JsonNode rendered =
        PitcrewChart.shared()
            .render("{monitoring: {recordingRules: {enabled: true, labels: {release: p}}}}")
            .object("PrometheusRule/pitcrew-recording-rules");
    assertThat(rendered.at("/metadata/labels/release").asText()).isEqualTo("p");
    assertThat(rendered.at("/spec")).isEqualTo(Yaml.document(RECORDED));

    String tests =
        Files.readString(RECORDED_TESTS).replace("RULES", RECORDED.toAbsolutePath().toString());
    CommandRun run = Promtool.in(folder).testRules(tests);
    assertThat(run.status()).as(run.output()).isZero();

    String document = Files.readString(RECORDED_DOCUMENT);
    rules(RECORDED)
        .forEach(rule -> {
          String name = rule.path("record").asText();
          assertThat(document)
              .contains("| `%s` | `%s` |".formatted(name, rule.path("expr").asText()));
          assertThat(tests).contains("{expr: %s,".formatted(name));
        });
  }

  @Test
  void everyAlertHasARunbookThatExists() throws IOException {
    Set<String> headings =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("## "))
            .map(line -> line.substring(3).toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    for (JsonNode alert : alerts().toList()) {
      String name = alert.at("/alert").asText();
      assertThat(alert.at("/annotations/runbook_url").asText())
          .isEqualTo("RUNBOOKS/alerts.md#" + name.toLowerCase(Locale.ROOT));
      assertThat(headings).contains(name.toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void dashboardsAreValidAndDistinct() throws IOException {
    var rendered = PitcrewChart.shared().render(ON);
    var uids = new ArrayList<String>();
    for (String name : List.of("fleet", "gpu", "node")) {
      JsonNode map = rendered.object("ConfigMap/pitcrew-dashboard-" + name);
      assertThat(map.at("/metadata/labels/grafana_dashboard").asText()).isEqualTo("1");
      JsonNode dashboard =
          new ObjectMapper().readTree(map.path("data").path("pitcrew-" + name + ".json").asText());
      uids.add(dashboard.path("uid").asText());
      assertThat(dashboard.path("title").asText()).isNotEmpty();
      assertThat(dashboard.path("panels")).isNotEmpty();
      var ids = new ArrayList<Integer>();
      dashboard
          .path("panels")
          .forEach(panel -> {
            ids.add(panel.path("id").asInt());
            assertThat(panel.path("targets")).as(panel.path("title").asText()).isNotEmpty();
            JsonNode place = panel.path("gridPos");
            assertThat(place.path("x").asInt() + place.path("w").asInt()).isLessThanOrEqualTo(24);
          });
      assertThat(ids).doesNotHaveDuplicates();
    }
    assertThat(uids).doesNotHaveDuplicates().doesNotContain("");
  }

  private static Stream<JsonNode> alerts() {
    return rules(RULES);
  }

  private static Stream<JsonNode> rules(Path file) {
    return Yaml.document(file)
        .path("groups")
        .valueStream()
        .flatMap(group -> group.path("rules").valueStream());
  }
}
