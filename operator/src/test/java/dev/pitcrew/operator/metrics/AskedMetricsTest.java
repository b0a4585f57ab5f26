package dev.pitcrew.operator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Verb;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.prometheus.Promtool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The operator exports what alerts and dashboards of the chart query.
class AskedMetricsTest {
  private static final Path CHART = Path.of("../charts/pitcrew/files");

  /// Those of agents begin otherwise.
  private static final Pattern NAME =
      Pattern.compile(
          "\\b(?:pitcrew_(?!node_|gpu_|metrics_)|gpu_operator_(?!node_|nvidia_))\\w+(?=[{ \\[\"')]|$)");

  @Test
  void everyMetricThatIsAskedForIsThere() throws IOException {
    Set<String> served =
        page()
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("[{ ]", 2)[0])
            .collect(Collectors.toSet());

    Set<String> asked = asked();

    assertThat(asked).contains("pitcrew_leader", "gpu_operator_reconciliation_status");
    assertThat(served).containsAll(asked);
  }

  /// The reference's names end in `_total` though they are gauges, or do not though they count.
  @Test
  void prometheusFindsNothingWrongButNamesOfTheReference(@TempDir Path folder) {
    CommandRun run = Promtool.in(folder).checkMetrics(page());

    assertThat(run.status()).as(run.output()).isIn(0, 3);
    assertThat(run.output().lines()).allMatch(line -> line.startsWith("gpu_operator_"));
  }

  private static String page() {
    var metrics = new OperatorMetrics();
    var controllers = metrics.controllers();
    controllers.reconciled("policy", ReconcileResult.of(Outcome.done()), Duration.ofMillis(20));
    controllers.retried("policy");
    controllers.wrote(Verb.APPLY, "DaemonSet");
    controllers.isLeader(true);
    controllers.operand("pitcrew-agent", new OperandNodes(3, 2, 1));
    return new String(metrics.scrape("text/plain").body(), StandardCharsets.UTF_8);
  }

  private static Set<String> asked() throws IOException {
    try (var files = Files.walk(CHART)) {
      return files
          .filter(Files::isRegularFile)
          .map(AskedMetricsTest::text)
          .flatMap(text -> NAME.matcher(text).results().map(it -> it.group()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }
}
