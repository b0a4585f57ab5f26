package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A server that gives one pod at a time.
class PagedListTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String FIRST =
      """
      {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7", "continue": "a+b"},
       "items": [{"metadata": {"name": "one", "uid": "1"}}]}
      """;
  private static final String LAST =
      """
      {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"},
       "items": [{"metadata": {"name": "two", "uid": "2"}}]}
      """;
  private static final int TOO_LONG = ApiServer.LARGEST_ANSWER + 1;

  @TempDir private Path folder;

  @Test
  void allPagesAreOneList() {
    try (var fake = FakeApiServer.saying(folder, PagedListTest::page);
        var server = fake.server();
        var pods = NodePods.follow(server, "gpu-operator", "n1", () -> {})) {
      awaitBoth(pods);
      assertThat(lists(fake)).hasSize(2);
      assertThat(lists(fake).getFirst()).contains("limit=100").doesNotContain("continue=");
      assertThat(lists(fake).getLast()).contains("limit=100").contains("continue=a%2Bb");
    }
  }

  @Test
  void listWhoseContinueTokenExpired_isRestarted() {
    var refusals = new AtomicInteger();
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange -> {
                  if (isNext(exchange) && refusals.incrementAndGet() == 1) {
                    FakeApiServer.text(
                        exchange, 410, "{\"kind\": \"Status\", \"reason\": \"Expired\"}");
                  } else {
                    page(exchange);
                  }
                });
        var server = fake.server();
        var pods = NodePods.follow(server, "gpu-operator", "n1", () -> {})) {
      awaitBoth(pods);
      assertThat(lists(fake)).hasSize(4);
      assertThat(lists(fake).get(2)).doesNotContain("continue=");
    }
  }

  @Test
  void largeObjectsAreReadInSmallPages() {
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange -> {
                  if (exchange.getRequestURI().getQuery().contains("limit=100")) {
                    FakeApiServer.text(exchange, 200, "x".repeat(TOO_LONG));
                  } else {
                    page(exchange);
                  }
                });
        var server = fake.server();
        var pods = NodePods.follow(server, "gpu-operator", "n1", () -> {})) {
      awaitBoth(pods);
    }
  }

  @Test
  void aListWithoutEndIsNotReadToItsEnd() {
    try (var fake =
            FakeApiServer.saying(folder, exchange -> FakeApiServer.text(exchange, 200, FIRST));
        var server = fake.server()) {
      var selection = new Watch.Selection("/api/v1/pods", "spec.nodeName%3Dn1", "pods", false);

      assertThat(new PagedList(server, selection, 1).read()).isInstanceOf(Unanswered.class);
    }
  }

  private static void page(HttpExchange exchange) throws IOException {
    if (exchange.getRequestURI().getQuery().contains("watch=true")) {
      FakeApiServer.text(exchange, 500, "");
    } else {
      FakeApiServer.text(exchange, 200, isNext(exchange) ? LAST : FIRST);
    }
  }

  private static boolean isNext(HttpExchange exchange) {
    return exchange.getRequestURI().getQuery().contains("continue=a+b");
  }

  private static void awaitBoth(NodePods pods) {
    await().atMost(LIMIT).until(() -> pods.now().isPresent());
    assertThat(pods.now().orElseThrow())
        .extracting(pod -> pod.at("/metadata/name").asText())
        .containsExactlyInAnyOrder("one", "two");
  }

  private static List<String> lists(FakeApiServer fake) {
    return fake.asked().stream().filter(asked -> !asked.contains("watch=true")).toList();
  }
}
