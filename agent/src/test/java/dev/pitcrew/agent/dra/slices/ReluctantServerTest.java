package dev.pitcrew.agent.dra.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.dra.slices.plan.Kept;
import dev.pitcrew.agent.dra.slices.plan.TestDevices;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.SliceDevice;
import dev.pitcrew.device.dra.SliceDevices;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A server that does not do all that it is asked: one whose feature gates are off, one that is
/// overloaded, one without resource.k8s.io/v1.
class ReluctantServerTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");
  private static final String EMPTY =
      """
      {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1",
       "metadata": {"resourceVersion": "7"}, "items": []}
      """;

  @TempDir private Path folder;

  private final List<SliceController.Published> published = new ArrayList<>();
  private final AtomicInteger writes = new AtomicInteger();

  @Test
  void fieldThatIsDroppedIsReportedAndSentOnce() {
    List<SliceDevice> devices = TestDevices.plain(1);
    try (var fake = FakeApiServer.saying(folder, exchange -> answer(exchange, "capacity", 0));
        var server = fake.server();
        var slices = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> slices, () -> NOW, published::add);

      assertThat(controller.reconcile(input(devices))).isEqualTo(Controller.RESYNC);
      assertThat(controller.reconcile(input(devices))).isEqualTo(Controller.RESYNC);

      assertThat(writes).hasValue(1);
      assertThat(published)
          .hasSize(2)
          .extracting(SliceController.Published::kept)
          .containsOnly(
              new Kept.Part(new TreeSet<>(Set.of("devices[].capacity")), new TreeSet<>()));
    }
  }

  /// The unhealthy device is never stored as a healthy one, not even for a moment.
  @Test
  void unhealthyDeviceIsLeftOutWhereItsTaintIsDropped() {
    List<SliceDevice> devices = new ArrayList<>(TestDevices.plain(2));
    devices.set(0, devices.getFirst().withTaints(List.of(TestDevices.XID)));
    try (var fake = FakeApiServer.saying(folder, exchange -> answer(exchange, "taints", 0));
        var server = fake.server();
        var slices = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> slices, () -> NOW, published::add);

      assertThat(controller.reconcile(input(devices))).isEqualTo(Controller.RESYNC);
      assertThat(controller.reconcile(input(devices))).isEqualTo(Controller.RESYNC);

      assertThat(writes).hasValue(1);
      assertThat(published)
          .hasSize(2)
          .containsOnly(
              new SliceController.Published(1, 1, Set.of("gpu-1"), new Kept.Everything()));
    }
  }

  @Test
  void overloadedServerIsAskedAgainAfterAGrowingPause() {
    try (var fake = FakeApiServer.saying(folder, exchange -> answer(exchange, "", 2));
        var server = fake.server();
        var slices = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> slices, () -> NOW, published::add);
      var input = input(TestDevices.plain(2));

      assertThat(controller.reconcile(input))
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
      assertThat(controller.reconcile(input))
          .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
      assertThat(published).isEmpty();
      assertThat(controller.reconcile(input)).isEqualTo(Controller.RESYNC);

      assertThat(writes).hasValue(3);
      assertThat(published)
          .containsExactly(
              new SliceController.Published(
                  1, 1, TestDevices.names(TestDevices.plain(2)), new Kept.Everything()));
    }
  }

  @Test
  void nothingIsSentToAServerWithoutTheKind() {
    try (var fake =
            FakeApiServer.saying(
                folder, exchange -> FakeApiServer.text(exchange, 404, "not found"));
        var server = fake.server();
        var slices = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      var controller = new SliceController(server, () -> slices, () -> NOW, published::add);

      assertThat(controller.reconcile(input(TestDevices.plain(1)))).isEqualTo(Controller.RESYNC);
      await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Unserved);
      assertThat(controller.reconcile(input(TestDevices.plain(1)))).isEqualTo(Controller.RESYNC);

      assertThat(fake.asked()).isNotEmpty().allMatch(asked -> asked.contains("fieldSelector="));
      assertThat(published).isEmpty();
    }
  }

  private static SliceController.Input input(List<SliceDevice> devices) {
    return new SliceController.Input("node-a", "uid-a", new SliceDevices(devices, List.of()));
  }

  /// @param dropped the field of devices that the server does not keep
  /// @param refusals how many writes are refused first
  private void answer(HttpExchange exchange, String dropped, int refusals) throws IOException {
    String asked = exchange.getRequestURI().toString();
    if (asked.equals("/version")) {
      FakeApiServer.text(exchange, 200, "{\"minor\": \"35\", \"gitVersion\": \"v1.35.4\"}");
    } else if (exchange.getRequestMethod().equals("GET")) {
      FakeApiServer.text(exchange, 200, asked.contains("watch=true") ? "" : EMPTY);
    } else if (!asked.contains("dryRun=All") && writes.incrementAndGet() <= refusals) {
      FakeApiServer.text(
          exchange, 503, "{\"kind\": \"Status\", \"reason\": \"ServiceUnavailable\"}");
    } else {
      String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonNode slice = ApiJson.read(sent, JsonNode.class);
      ((ObjectNode) slice.path("metadata"))
          .put("name", "00000-x")
          .put("uid", "u1")
          .put("resourceVersion", "8");
      slice.at("/spec/devices").forEach(device -> ((ObjectNode) device).remove(dropped));
      FakeApiServer.text(exchange, 201, slice.toString());
    }
  }
}
