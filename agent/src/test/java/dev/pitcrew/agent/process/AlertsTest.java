package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.testbed.FreePorts;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.prometheus.Promtool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Alerts and dashboards of the chart on what an agent really reports, before, while and after a
/// GPU is unhealthy.
@WithControlPlane
class AlertsTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Path CHART = Path.of("../charts/pitcrew/files").toAbsolutePath().normalize();
  private static final int GPU = 1;
  private static final int GPUS = 4;
  private static final Pattern SAMPLE =
      Pattern.compile(
          "(?m)^(?<series>(?<name>[a-zA-Z_]\\w*)(?:\\{(?<labels>.*)})?) (?<value>\\S+)$");
  private static final Pattern RULE =
      Pattern.compile("- alert: (?<alert>\\w+)\\s+expr: '(?<expr>[^']*)'");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

  private static final String ALLOCATABLE =
      "pitcrew_node_allocatable_devices{node=\"%s\"} ".formatted(RunningAgent.NODE);

  /// A fault that an alert is for.
  ///
  /// @param gpu its index; below 0 for the node
  /// @param sign of it in the scrape
  private record Cause(String name, int gpu, String sign) {}

  private static final Map<String, Cause> OF_HEALTH =
      new TreeMap<>(
          Map.ofEntries(
              alert("NeedsReset", 0, "a row to be remapped", "level=\"NeedsReset\""),
              alert("Replace", 1, "a row that cannot be remapped", "level=\"Replace\""),
              alert("Degraded", 2, "a hot GPU", "level=\"Degraded\""),
              alert("NeedsReboot", 3, "a lost GPU", "level=\"NeedsReboot\""),
              alert("Xid", 1, "Xid 95", "xid=\"95\""),
              alert("UncorrectedMemoryErrors", 0, "a double-bit error", "sign=\"uncorrected_ecc\""),
              alert("RowRemapFailed", 1, "a row that cannot be remapped", "sign=\"remap_failed\""),
              alert("RowRemapPending", 0, "a row to be remapped", "sign=\"remap_pending\""),
              alert("LinksDown", 0, "three NVLinks down", "sign=\"nvlinks_down\""),
              alert("SlowedDown", 2, "a hot GPU", "sign=\"thermal_slowdown\""),
              alert("DoesNotAnswer", 3, "a lost GPU", "sign=\"no_answer\""),
              Map.entry(
                  "PitcrewGpusNotAllocatable",
                  new Cause("1 of 4 GPUs allocatable", -1, ALLOCATABLE + "1"))));

  private static Map.Entry<String, Cause> alert(String name, int gpu, String fault, String sign) {
    return Map.entry("PitcrewGpu" + name, new Cause(fault, gpu, sign));
  }

  /// What only the operator reports.
  private static final Set<String> OF_OPERATOR =
      Set.of(
          "gpu_operator_reconciliation_status",
          "pitcrew_api_writes_total",
          "pitcrew_operand_nodes",
          "pitcrew_reconcile_duration_seconds_bucket");

  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1",
       "functions": ["labels", "devicePlugin", "nodeStatus", "metrics", "health"],
       "health": {"recoverAfterSeconds": 1},
       "clusterPolicy": {
         "devicePlugin": {"enabled": true}, "gfd": {"enabled": true},
         "nodeStatusExporter": {"enabled": true},
         "dcgmExporter": {"enabled": true, "env": [
           {"name": "DCGM_EXPORTER_LISTEN", "value": "127.0.0.1:%d"},
           {"name": "DCGM_EXPORTER_KUBERNETES", "value": "true"},
           {"name": "DCGM_EXPORTER_INTERVAL", "value": "200"}]}}}
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port = FreePorts.one();
  private RunningAgent agent;
  private TestPodResources pods;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provideDocument(DOCUMENT.formatted(port));
    agent.label("nvidia.com/gpu.deploy.dcgm-exporter", "true");
    agent.label("nvidia.com/gpu.deploy.node-status-exporter", "true");
    agent.startKubelet();
    pods =
        TestPodResources.start(
            agent.gpus().hostRoot(),
            new TestPodResources.Held(
                "research", "trainer", "uid", agent.gpus().gpus().get(GPU).uuid()));
    agent.start();
    awaitText("level=\"Healthy\"", true);
    awaitText("pod=\"trainer\"", true);
  }

  @AfterEach
  void end() throws IOException {
    http.close();
    agent.close();
    pods.close();
  }

  @Test
  void everyAlertOfHealthFiresWhileItsFaultLastsAndNoLonger(@TempDir Path folder) throws Exception {
    assertThat(OF_HEALTH.keySet()).isEqualTo(alertsOfHealth());
    agent.capacity("nvidia.com/gpu", GPUS);
    agent.allocatable("nvidia.com/gpu", GPUS);
    awaitText(ALLOCATABLE + GPUS, true);
    String before = page();
    fail();
    OF_HEALTH.values().forEach(cause -> awaitText(cause.sign(), true));
    String during = page();
    recover();
    OF_HEALTH.values().forEach(cause -> awaitText(cause.sign(), false));
    awaitText("DCGM_FI_DEV_GPU_TEMP{gpu=\"3\"", true);
    String after = page();

    CommandRun run = Promtool.in(folder).testRules(ruleTest(List.of(before, during, after)));

    assertThat(run.status()).as(run.output()).isZero();
    OF_HEALTH.forEach((alert, cause) ->
        System.out.printf("%-34s fires with %s, and resolves%n", alert, cause.name()));
  }

  /// Every fault at once, on four GPUs.
  private void fail() {
    agent.gpus().doubleBitEccError(0);
    agent.gpus().set(0, "remap_pending", "1");
    agent.gpus().set(0, "nvlinks_down", "3");
    agent.gpus().xid(1, 95);
    agent.gpus().set(1, "remap_failed", "1");
    agent.gpus().set(2, "clock_event_reasons", "64");
    agent.gpus().lose(3);
    agent.allocatable("nvidia.com/gpu", 1);
  }

  private void recover() {
    agent.gpus().restore(3);
    agent.gpus().simulate("reset", "all", "--force");
    agent.gpus().set(0, "nvlinks_down", "0");
    agent.gpus().set(1, "remap_failed", "0");
    agent.gpus().set(2, "clock_event_reasons", "1");
    agent.gpus().unloadDriver();
    agent.gpus().loadDriver();
    agent.allocatable("nvidia.com/gpu", GPUS);
  }

  private static Set<String> alertsOfHealth() throws IOException {
    var names = new TreeSet<String>();
    Matcher rule = RULE.matcher(Files.readString(CHART.resolve("alerts.yaml")));
    while (rule.find()) {
      if (rule.group("expr").matches("pitcrew_gpu_health.*|pitcrew_node_allocatable.*")) {
        names.add(rule.group("alert"));
      }
    }
    return names;
  }

  @Test
  void everyQueryIsAnsweredByTheScrape(@TempDir Path folder) throws Exception {
    agent.gpus().xid(GPU, 95);
    awaitText("pitcrew_gpu_health_sign{", true);
    awaitText("DCGM_FI_DEV_XID_ERRORS{", true);
    Map<String, Set<String>> served = served(page());
    var missing = new ArrayList<String>();
    Map<String, Set<String>> asked = MetricQueries.asked(CHART.resolve("dashboards"));
    asked.keySet().removeAll(OF_OPERATOR);
    asked.forEach((name, labels) -> {
      Set<String> there = served.getOrDefault(name, Set.of());
      if (!served.containsKey(name) || !there.containsAll(labels)) {
        missing.add("%s %s: the scrape has %s".formatted(name, labels, there));
      }
    });
    assertThat(missing).isEmpty();

    var rules = new StringBuilder("groups:\n- name: queries\n  rules:\n");
    List<String> expressions = MetricQueries.expressions(CHART.resolve("dashboards"));
    for (String expression : expressions) {
      rules
          .append("  - record: r%d\n    expr: '".formatted(rules.length()))
          .append(expression.replace("'", "''"))
          .append("'\n");
    }
    CommandRun run = Promtool.in(folder).checkRules(rules.toString());
    assertThat(run.status()).as(run.output()).isZero();
    System.out.printf("%d queries of %d metrics are answered%n", expressions.size(), asked.size());
  }

  /// The reference's names of its node metrics end in `_total` though they are gauges.
  @Test
  void prometheusFindsNothingWrongInTheMetricsOfTheNode(@TempDir Path folder) throws Exception {
    CommandRun run = Promtool.in(folder).checkMetrics(nodePage());
    assertThat(run.output().lines())
        .isNotEmpty()
        .allMatch(line -> line.startsWith("gpu_operator_") && line.contains("_total"));
  }

  /// Scrapes of twenty minutes each, one after the other.
  private String ruleTest(List<String> pages) {
    var values = new TreeMap<String, List<String>>();
    for (int at = 0; at < pages.size(); at++) {
      Matcher sample = SAMPLE.matcher(pages.get(at));
      while (sample.find()) {
        values
            .computeIfAbsent(
                sample.group("series"), _ -> new ArrayList<>(List.of("_x20", "_x20", "_x20")))
            .set(at, sample.group("value") + "x19");
      }
    }
    var test = new StringBuilder();
    test.append("rule_files: [%s]\n".formatted(CHART.resolve("alerts.yaml")));
    test.append("evaluation_interval: 1m\ntests:\n- interval: 1m\n  input_series:\n");
    values.forEach((series, at) -> {
      // What is missing in a scrape is stale at once.
      String all = String.join(" ", at).replace("x19 _x20", "x19 stale _x19");
      test.append("  - series: '%s'\n    values: '%s'\n".formatted(series.replace("'", "''"), all));
    });
    test.append("  promql_expr_test:\n");
    OF_HEALTH.forEach((alert, cause) -> expect(test, alert, cause));
    return test.toString();
  }

  private void expect(StringBuilder test, String alert, Cause cause) {
    String ofGpu =
        cause.gpu() < 0
            ? ""
            : ",UUID=\"%s\"".formatted(agent.gpus().gpus().get(cause.gpu()).uuid());
    String fires =
        "count(ALERTS{alertname=\"%s\",alertstate=\"firing\"%s})".formatted(alert, ofGpu);
    for (Map.Entry<Integer, Integer> at : Map.of(18, 0, 38, 1, 58, 0).entrySet()) {
      test.append("  - expr: '%s'\n    eval_time: %dm\n".formatted(fires, at.getKey()));
      test.append(
          "    exp_samples: %s\n"
              .formatted(at.getValue() == 0 ? "[]" : "[{labels: '{}', value: 1}]"));
    }
  }

  private static Map<String, Set<String>> served(String page) {
    var served = new TreeMap<String, Set<String>>();
    Matcher sample = SAMPLE.matcher(page);
    while (sample.find()) {
      Set<String> labels = served.computeIfAbsent(sample.group("name"), _ -> new TreeSet<>());
      String text = sample.group("labels");
      if (text != null) {
        LABEL.matcher(text).results().forEach(it -> labels.add(it.group(1)));
      }
    }
    return served;
  }

  private void awaitText(String text, boolean isThere) {
    await(text)
        .atMost(LIMIT)
        .untilAsserted(() -> {
          String page = page();
          assertThat(page.contains(text)).as(text + "\n" + page).isEqualTo(isThere);
        });
  }

  private String page() throws InterruptedException {
    return nodePage() + page(port);
  }

  private String nodePage() throws InterruptedException {
    return page(agent.metricsPort());
  }

  /// Empty where no server listens.
  private String page(int from) throws InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(from))).build();
    try {
      return http.send(request, BodyHandlers.ofString()).body();
    } catch (IOException _) {
      return "";
    }
  }
}
