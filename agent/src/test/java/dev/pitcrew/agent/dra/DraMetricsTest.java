package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pitcrew.agent.dra.DraMetrics.Operation;
import dev.pitcrew.agent.dra.DraMetrics.PrepareError;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.core.exposition.TextExposition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DraMetricsTest {
  private final DraMetrics all = new DraMetrics("node-a");
  private final DraMetrics.OfDriver metrics = all.of("gpu.nvidia.com");

  private String page() {
    var page = new TextExposition();
    all.write(page);
    return page.text();
  }

  private static JsonNode recorded() {
    return Facts.read("prepare-one")
        .path("steps")
        .valueStream()
        .filter(step -> step.path("do").asText().equals("metrics"))
        .findFirst()
        .orElseThrow()
        .path("got");
  }

  private List<String> lines(String beginning) {
    return page().lines().filter(line -> line.startsWith(beginning)).toList();
  }

  @Test
  void nodeThatDoesNotServeClaimsHasNone() {
    assertThat(page()).isEmpty();
    metrics.serve(List::of);
    assertThat(page()).isNotEmpty();
    metrics.stop();
    assertThat(page()).isEmpty();
  }

  /// Series, types and buckets after two calls of each.
  @Test
  void seriesAreThoseOfTheRecording() {
    metrics.serve(List::of);
    for (int call = 0; call < 2; call++) {
      metrics.call(Operation.PREPARE, () -> {});
      metrics.call(Operation.UNPREPARE, () -> {});
    }
    JsonNode recorded = recorded();

    Map<String, Double> expected = new TreeMap<>();
    recorded
        .path("series")
        .properties()
        .forEach(it -> expected.put(sorted(it.getKey()), it.getValue().asDouble()));
    Map<String, Double> found =
        page()
            .lines()
            .filter(line -> !line.startsWith("#"))
            .filter(line -> !line.contains("_bucket{") && !line.contains("_sum{"))
            .map(line -> line.split(" ", 2))
            .collect(
                Collectors.toMap(
                    it -> sorted(it[0]), it -> Double.valueOf(it[1]), (a, _) -> a, TreeMap::new));
    assertThat(found).isEqualTo(expected);
    recorded
        .path("types")
        .properties()
        .forEach(type ->
            assertThat(lines("# TYPE " + type.getKey() + " "))
                .containsExactly(
                    "# TYPE %s %s".formatted(type.getKey(), type.getValue().asText())));
    assertThat(
            lines(
                    "nvidia_dra_request_duration_seconds_bucket{driver=\"gpu.nvidia.com\",operation=\"prepare\"")
                .stream()
                .map(line -> line.replaceAll(".*le=\"([^\"]*)\".*", "$1")))
        .isEqualTo(recorded.path("buckets").valueStream().map(JsonNode::asText).toList());
  }

  /// With the labels in the order of the alphabet.
  private static String sorted(String series) {
    int begin = series.indexOf('{');
    String labels = series.substring(begin + 1, series.length() - 1);
    return series.substring(0, begin) + List.of(labels.split(",", -1)).stream().sorted().toList();
  }

  @Test
  void callThatIsUnderWayIsCounted() {
    metrics.serve(List::of);
    metrics.call(
        Operation.PREPARE,
        () ->
            assertThat(lines("nvidia_dra_requests_inflight"))
                .anyMatch(line -> line.contains("\"prepare\"") && line.endsWith(" 1")));
    assertThat(lines("nvidia_dra_requests_inflight")).allMatch(line -> line.endsWith(" 0"));
  }

  /// NVIDIA's driver does not count claims that it cannot read.
  @Test
  void claimsThatAreNotPreparedAreCountedByReason() {
    metrics.serve(List::of);
    assertThat(page()).doesNotContain("errors_total", "prepare_failures");
    metrics.failed(PrepareError.CLAIM_UNREADABLE);
    metrics.failed(PrepareError.REFUSED);
    metrics.failed(PrepareError.FAILED);
    metrics.failed(PrepareError.FAILED);
    metrics.unprepareFailed();

    assertThat(lines("nvidia_dra_node_"))
        .containsExactly(
            "nvidia_dra_node_prepare_errors_total{driver=\"gpu.nvidia.com\",error_type=\"prepare_devices\"} 3",
            "nvidia_dra_node_unprepare_errors_total{driver=\"gpu.nvidia.com\",error_type=\"unprepare_devices\"} 1");
    assertThat(lines("pitcrew_dra_prepare_failures_total"))
        .containsExactly(
            "pitcrew_dra_prepare_failures_total{node=\"node-a\",driver=\"gpu.nvidia.com\",reason=\"ClaimUnreadable\"} 1",
            "pitcrew_dra_prepare_failures_total{node=\"node-a\",driver=\"gpu.nvidia.com\",reason=\"Refused\"} 1",
            "pitcrew_dra_prepare_failures_total{node=\"node-a\",driver=\"gpu.nvidia.com\",reason=\"Failed\"} 2");
  }

  /// A claim whose preparation did not end has no prepared device.
  @Test
  void preparedDevicesAreCountedByType() {
    metrics.serve(
        () -> List.of(claim(true, "gpu", "gpu"), claim(true, "mig"), claim(false, "gpu")));

    assertThat(lines("nvidia_dra_prepared_devices"))
        .extracting(line -> line.replaceAll(".*device_type=\"(\\w+)\"} ", "$1 "))
        .containsExactly("gpu 2", "mig 1", "vfio 0", "unknown 0");
  }

  /// Each metric is once on the page, with the samples of both drivers.
  @Test
  void driversShareThePage() {
    metrics.serve(List::of);
    DraMetrics.OfDriver domains = all.of("compute-domain.nvidia.com");
    domains.failed(PrepareError.FAILED);
    assertThat(page()).doesNotContain("compute-domain");
    domains.serve(List::of);

    assertThat(lines("# TYPE nvidia_dra_requests_total")).hasSize(1);
    assertThat(lines("nvidia_dra_requests_total{driver=\"compute-domain.nvidia.com\"")).hasSize(2);
    assertThat(lines("nvidia_dra_requests_total{driver=\"gpu.nvidia.com\"")).hasSize(2);
    assertThat(lines("nvidia_dra_node_prepare_errors_total"))
        .containsExactly(
            "nvidia_dra_node_prepare_errors_total{driver=\"compute-domain.nvidia.com\",error_type=\"prepare_devices\"} 1");
  }

  private static PreparedClaim claim(boolean isCompleted, String... types) {
    ArrayNode groups = JsonNodeFactory.instance.arrayNode();
    ArrayNode devices = groups.addObject().putArray("devices");
    List.of(types).forEach(type -> devices.addObject().putObject(type));
    return new PreparedClaim(isCompleted, Facts.parse("{}"), groups, "", "");
  }
}
