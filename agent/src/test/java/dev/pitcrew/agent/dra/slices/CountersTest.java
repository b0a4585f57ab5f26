package dev.pitcrew.agent.dra.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.dra.slices.plan.TestDevices;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.CounterSet;
import dev.pitcrew.device.dra.Quantity;
import dev.pitcrew.device.dra.SliceDevice;
import dev.pitcrew.device.dra.SliceDevices;
import dev.pitcrew.device.dra.SliceDevices.Arrangement;
import dev.pitcrew.device.dra.SliceDevices.OfGpu;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A server that may not keep the counters that partitions of a GPU share.
class CountersTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String EMPTY =
      """
      {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1",
       "metadata": {"resourceVersion": "7"}, "items": []}
      """;
  private static final CounterSet COUNTERS =
      new CounterSet("gpu-0-counter-set", new TreeMap<>(Map.of("memory", new Quantity("80Gi"))));

  @TempDir private Path folder;

  private final List<SliceController.Published> published = new ArrayList<>();
  private final List<JsonNode> stored = new CopyOnWriteArrayList<>();
  private final List<JsonNode> tried = new CopyOnWriteArrayList<>();
  private Instant now = Instant.parse("2026-11-28T12:00:00Z");

  private static SliceController.Input input() {
    SliceDevice plain = TestDevices.plain(1).getFirst();
    var whole =
        new SliceDevice(
            plain.name(), plain.attributes(), plain.capacity(), List.of(COUNTERS), List.of());
    var part =
        new SliceDevice(
            "gpu-0-mig-7g80gb-0-0",
            plain.attributes(),
            plain.capacity(),
            List.of(COUNTERS),
            List.of());
    var gpu = new OfGpu(Optional.of(COUNTERS), List.of(whole, part));
    return new SliceController.Input(
        "node-a",
        "uid-a",
        new SliceDevices(List.of(gpu), Arrangement.COUNTERS_THEN_BY_GPU, List.of()),
        new SliceDevices(List.of(plain), List.of()));
  }

  /// No device that overlaps another is stored for a moment without the counters that say so.
  @ParameterizedTest
  @CsvSource({"36, true, 2, 2", "34+, true, 1, 2", "35, false, 1, 1", "34, false, 1, 1"})
  void partitionsAreStoredWhereTheirCountersAreKept(
      String minor, boolean keeps, int slices, int devices) {
    try (var fake = FakeApiServer.saying(folder, exchange -> answer(exchange, minor, keeps));
        var server = fake.server();
        var followed = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> followed.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> followed, () -> now, published::add);

      assertThat(controller.reconcile(input())).isEqualTo(Controller.RESYNC);
      assertThat(controller.reconcile(input())).isEqualTo(Controller.RESYNC);
    }
    assertThat(tried).hasSize(1);
    assertThat(stored).hasSize(slices);
    assertThat(stored.stream().mapToInt(slice -> slice.at("/spec/devices").size()).sum())
        .isEqualTo(devices);
    assertThat(published).hasSize(2);
    assertThat(published.getLast().devices()).hasSize(devices);
    assertThat(published.getLast().withoutCounters().isPresent()).isEqualTo(!keeps);
    published
        .getLast()
        .withoutCounters()
        .ifPresent(reason -> assertThat(reason).contains("v1." + minor, "DRAPartitionableDevices"));
  }

  @Test
  void serverIsAskedAgainAfterAnHour() {
    try (var fake = FakeApiServer.saying(folder, exchange -> answer(exchange, "35", false));
        var server = fake.server();
        var followed = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> followed.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> followed, () -> now, published::add);
      controller.reconcile(input());
      now = now.plus(Duration.ofMinutes(59));
      controller.reconcile(input());
      assertThat(tried).hasSize(1);
      now = now.plus(Duration.ofMinutes(1));
      controller.reconcile(input());
    }
    assertThat(tried).hasSize(2);
  }

  private void answer(HttpExchange exchange, String minor, boolean keeps) throws IOException {
    String path = exchange.getRequestURI().toString();
    if (path.equals("/version")) {
      FakeApiServer.text(
          exchange,
          200,
          "{\"major\": \"1\", \"minor\": \"%1$s\", \"gitVersion\": \"v1.%1$s.2\"}"
              .formatted(minor));
    } else if (exchange.getRequestMethod().equals("GET")) {
      FakeApiServer.text(exchange, 200, path.contains("watch=true") ? "" : EMPTY);
    } else {
      String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonNode slice = ApiJson.read(sent, JsonNode.class);
      boolean isDryRun = path.contains("dryRun=All");
      if (!keeps) {
        ((ObjectNode) slice.path("spec")).remove("sharedCounters");
        slice.at("/spec/devices").forEach(it -> ((ObjectNode) it).remove("consumesCounters"));
      }
      (isDryRun ? tried : stored).add(slice);
      ((ObjectNode) slice.path("metadata"))
          .put("name", "0000%d-x".formatted(stored.size()))
          .put("uid", "u" + stored.size())
          .put("resourceVersion", "8");
      FakeApiServer.text(exchange, 201, slice.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"34, false", "34+, false", "35, true", "36+, true", "'', true"})
  void countersAreSeparateFromKubernetes135On(String minor, boolean separates) {
    assertThat(GateSupport.separates(minor)).isEqualTo(separates);
  }
}
