package dev.pitcrew.agent.dra.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.dra.SliceDevices;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A server that may not keep that several claims can hold a device (KEP-5075): it drops the fields
/// allowMultipleAllocations and requestPolicy.
class SharesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String EMPTY =
      """
      {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1",
       "metadata": {"resourceVersion": "7"}, "items": []}
      """;

  @TempDir private Path folder;

  private final List<SliceController.Published> published = new ArrayList<>();
  private final List<JsonNode> stored = new CopyOnWriteArrayList<>();
  private final List<JsonNode> tried = new CopyOnWriteArrayList<>();
  private volatile boolean keeps;
  private Instant now = Instant.parse("2026-11-28T12:00:00Z");

  private static SliceController.Input input() {
    return new SliceController.Input(
        "node-a", "uid-a", SliceDevices.of(Nodes.withGpus(2), new ConsumableShares.Counted(4)));
  }

  private static long shared(JsonNode slice) {
    return slice
        .at("/spec/devices")
        .valueStream()
        .filter(device -> device.path("allowMultipleAllocations").asBoolean())
        .count();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void devicesAreSharedWhereThatIsKept(boolean keepsShares) {
    keeps = keepsShares;
    try (var fake = FakeApiServer.saying(folder, this::answer);
        var server = fake.server();
        var followed = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> followed.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> followed, () -> now, published::add);

      assertThat(controller.reconcile(input())).isEqualTo(Controller.RESYNC);
      assertThat(controller.reconcile(input())).isEqualTo(Controller.RESYNC);
    }
    assertThat(tried).hasSize(1);
    assertThat(stored).hasSize(1);
    assertThat(shared(stored.getFirst())).isEqualTo(keeps ? 2 : 0);
    assertThat(stored.getFirst().at("/spec/devices/0/capacity").has("shares")).isEqualTo(keeps);
    assertThat(published).hasSize(2);
    assertThat(published.getLast().devices()).containsExactlyInAnyOrder("gpu-0", "gpu-1");
    assertThat(published.getLast().withoutShares().isPresent()).isEqualTo(!keeps);
    published
        .getLast()
        .withoutShares()
        .ifPresent(reason ->
            assertThat(reason)
                .contains("v1.35.2", "DRAConsumableCapacity", "spec.dra.consumableShares"));
  }

  /// Its feature gate is turned on meanwhile.
  @Test
  void serverIsAskedAgainAfterAnHour() {
    try (var fake = FakeApiServer.saying(folder, this::answer);
        var server = fake.server();
        var followed = NodeSlices.follow(server, "node-a", "gpu.nvidia.com", () -> {})) {
      await().atMost(LIMIT).until(() -> followed.now() instanceof NodeSlices.View.Listed);
      var controller = new SliceController(server, () -> followed, () -> now, published::add);
      controller.reconcile(input());
      keeps = true;
      now = now.plus(Duration.ofMinutes(59));
      controller.reconcile(input());
      assertThat(stored).hasSize(1);
      now = now.plus(Duration.ofMinutes(1));
      controller.reconcile(input());
    }
    assertThat(tried).hasSize(2);
    assertThat(shared(stored.getLast())).isEqualTo(2);
    assertThat(published.getLast().withoutShares()).isEmpty();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString();
    if (path.equals("/version")) {
      FakeApiServer.text(
          exchange, 200, "{\"major\": \"1\", \"minor\": \"35\", \"gitVersion\": \"v1.35.2\"}");
    } else if (exchange.getRequestMethod().equals("GET")) {
      FakeApiServer.text(exchange, 200, path.contains("watch=true") ? "" : EMPTY);
    } else {
      String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonNode slice = ApiJson.read(sent, JsonNode.class);
      if (!keeps) {
        slice.at("/spec/devices").forEach(SharesTest::drop);
      }
      (path.contains("dryRun=All") ? tried : stored).add(slice);
      ((ObjectNode) slice.path("metadata"))
          .put("name", "00000-x")
          .put("uid", "u")
          .put("resourceVersion", "8");
      FakeApiServer.text(exchange, 201, slice.toString());
    }
  }

  private static void drop(JsonNode device) {
    ((ObjectNode) device).remove("allowMultipleAllocations");
    device.path("capacity").forEach(capacity -> ((ObjectNode) capacity).remove("requestPolicy"));
  }
}
