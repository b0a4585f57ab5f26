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

/// Alerts and dashboards of the chart on what an agent really tells, before, while and after a GPU
/// is sick.
@WithControlPlane
class AlertsTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Path CHART = Path.of("../charts/pitcrew/files").toAbsolutePath().normalize();
  private static final int GPU = 1;
  private static final Pattern SAMPLE =
      Pattern.compile(
          "(?m)^(?<series>(?<name>[a-zA-Z_]\\w*)(?:\\{(?<labels>.*)})?) (?<value>\\S+)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

  /// What only the operator tells.
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
  void anAlertFiresWhileTheGpuIsSickAndNoLonger(@TempDir Path folder) throws Exception {
    String before = page();
    agent.gpus().xid(GPU, 95);
    agent.gpus().set(GPU, "remap_failed", "1");
    awaitText("level=\"Replace\"", true);
    awaitText("sign=\"xid\",xid=\"95\"", true);
    String during = page();
    agent.gpus().set(GPU, "remap_failed", "0");
    agent.gpus().unloadDriver();
    agent.gpus().loadDriver();
    awaitText("pitcrew_gpu_health_sign{", false);
    awaitText("level=\"Replace\"", false);
    awaitText("DCGM_FI_DEV_GPU_TEMP{", true);
    String after = page();

    CommandRun run = Promtool.in(folder).testRules(ruleTest(List.of(before, during, after)));

    assertThat(run.status()).as(run.output()).isZero();
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

  /// Scrapes of ten minutes each, one after the other.
  private String ruleTest(List<String> pages) {
    var values = new TreeMap<String, List<String>>();
    for (int at = 0; at < pages.size(); at++) {
      Matcher sample = SAMPLE.matcher(pages.get(at));
      while (sample.find()) {
        values
            .computeIfAbsent(
                sample.group("series"), _ -> new ArrayList<>(List.of("_x10", "_x10", "_x10")))
            .set(at, sample.group("value") + "x9");
      }
    }
    var test = new StringBuilder();
    test.append("rule_files: [%s]\n".formatted(CHART.resolve("alerts.yaml")));
    test.append("evaluation_interval: 1m\ntests:\n- interval: 1m\n  input_series:\n");
    values.forEach((series, at) -> {
      // What is missing in a scrape is stale at once.
      String all = String.join(" ", at).replace("x9 _x10", "x9 stale _x9");
      test.append("  - series: '%s'\n    values: '%s'\n".formatted(series.replace("'", "''"), all));
    });
    String gpu = agent.gpus().gpus().get(GPU).uuid();
    test.append("  promql_expr_test:\n");
    for (String alert : List.of("PitcrewGpuReplace", "PitcrewGpuXid", "PitcrewGpuRowRemapFailed")) {
      String fires =
          "count(ALERTS{alertname=\"%s\",alertstate=\"firing\",UUID=\"%s\"})".formatted(alert, gpu);
      for (Map.Entry<Integer, Integer> at : Map.of(8, 0, 18, 1, 28, 0).entrySet()) {
        test.append("  - expr: '%s'\n    eval_time: %dm\n".formatted(fires, at.getKey()));
        test.append(
            "    exp_samples: %s\n"
                .formatted(at.getValue() == 0 ? "[]" : "[{labels: '{}', value: 1}]"));
      }
    }
    return test.toString();
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

  /// Empty where nobody listens.
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
