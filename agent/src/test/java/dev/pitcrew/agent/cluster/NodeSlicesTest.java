package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is seen of the slices while the watch lags behind the writes of the caller.
class NodeSlicesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir private Path folder;

  @Test
  void onlySlicesOfTheNodeAndTheDriverAreAskedFor() {
    try (var fake =
            FakeApiServer.saying(
                folder, exchange -> FakeApiServer.text(exchange, 200, list("a", 5)));
        var server = fake.server();
        var slices = listed(server)) {
      assertThat(versions(slices)).containsExactly("a 5");
      assertThat(fake.asked().getFirst())
          .startsWith(
              "/apis/resource.k8s.io/v1/resourceslices"
                  + "?fieldSelector=spec.nodeName%3Dn1%2Cspec.driver%3Dgpu.nvidia.com");
    }
  }

  @Test
  void newsThatIsOlderThanAWriteOfTheCallerIsIgnored() {
    var written = new CountDownLatch(1);
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange -> {
                  boolean isWatch = exchange.getRequestURI().getQuery().contains("watch=true");
                  if (isWatch) {
                    awaitLatch(written);
                  }
                  String events =
                      event("MODIFIED", "a", 9)
                          + event("DELETED", "c", 10)
                          + event("ADDED", "z", 11);
                  FakeApiServer.text(exchange, 200, isWatch ? events : list("a", 5));
                });
        var server = fake.server();
        var slices = listed(server)) {
      slices.written(slice("a", 20));
      slices.written(slice("b", 21));
      slices.written(slice("c", 22));
      slices.deleted("b");
      slices.written(slice("b", 21));
      written.countDown();

      await().atMost(LIMIT).until(() -> versions(slices).contains("z 11"));
      assertThat(versions(slices)).containsExactly("a 20", "z 11");
    }
  }

  @Test
  void newerNewsReplacesAWriteOfTheCaller() {
    var written = new CountDownLatch(1);
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange -> {
                  boolean isWatch = exchange.getRequestURI().getQuery().contains("watch=true");
                  if (isWatch) {
                    awaitLatch(written);
                  }
                  FakeApiServer.text(
                      exchange, 200, isWatch ? event("MODIFIED", "a", 100) : list("a", 5));
                });
        var server = fake.server();
        var slices = listed(server)) {
      slices.written(slice("a", 99));
      written.countDown();

      await().atMost(LIMIT).until(() -> versions(slices).equals(List.of("a 100")));
    }
  }

  @Test
  void apiServerWithoutTheKindIsNotTakenForAnEmptyList() {
    try (var fake =
            FakeApiServer.saying(
                folder, exchange -> FakeApiServer.text(exchange, 404, "404 page not found"));
        var server = fake.server();
        var slices = NodeSlices.follow(server, "n1", "gpu.nvidia.com", () -> {})) {
      assertThat(slices.now()).isInstanceOf(NodeSlices.View.Unknown.class);
      await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Unserved);
    }
  }

  private static NodeSlices listed(ApiServer server) {
    NodeSlices slices = NodeSlices.follow(server, "n1", "gpu.nvidia.com", () -> {});
    await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Listed);
    return slices;
  }

  private static List<String> versions(NodeSlices slices) {
    return ((NodeSlices.View.Listed) slices.now())
        .slices().stream()
            .map(slice ->
                slice.at("/metadata/name").asText()
                    + " "
                    + slice.at("/metadata/resourceVersion").asText())
            .toList();
  }

  private static String list(String name, int version) {
    return """
    {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1",
     "metadata": {"resourceVersion": "7"}, "items": [%s]}
    """
        .formatted(slice(name, version));
  }

  private static String event(String type, String name, int version) {
    return "{\"type\":\"%s\",\"object\":%s}\n".formatted(type, slice(name, version));
  }

  private static JsonNode slice(String name, int version) {
    return ApiJson.read(
        "{\"metadata\": {\"name\": \"%s\", \"uid\": \"%s\", \"resourceVersion\": \"%d\"}}"
            .formatted(name, name, version),
        JsonNode.class);
  }

  private static void awaitLatch(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
