package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Refused;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The API server is overloaded, or another server answers in its place.
class UnusualApiServerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final ObjectPath MAP = ObjectPath.of("v1", "configmaps", "default", "c");
  private static final ObjectPath GPU_NODE =
      ObjectPath.of("pitcrew.dev/v1alpha1", "gpunodes", "node-1");
  private static final String LIST =
      """
      {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [
        {"metadata": {"name": "c", "resourceVersion": "5"}, "data": {"value": "1"}}]}
      """;
  private static final String CHANGE =
      """
      {"type":"MODIFIED","object":{"metadata":{"name":"c","resourceVersion":"9"},"data":{"value":"2"}}}
      """;

  @TempDir private Path folder;

  @Test
  void theWaitThatAServerAsksForIsInTheReply() {
    assertThat(
            replyTo(exchange -> {
              exchange.getResponseHeaders().add("Retry-After", "7");
              FakeApiServer.text(
                  exchange, 429, "{\"kind\": \"Status\", \"reason\": \"TooManyRequests\"}");
            }))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(7));
              assertThat(refused.reason()).isEqualTo("TooManyRequests");
              assertThat(refused.isPassing()).isTrue();
            });
  }

  @ParameterizedTest
  @CsvSource({"1, 0, 1", "1, 7, 7", "9, 7, 9", "1, 59, 59", "1, 999999, 60", "90, 999999, 90"})
  void theLongerOfTwoWaitsCountsUpToAMinuteOfTheServers(int ours, int asked, int seconds) {
    var refused = new Refused(429, "TooManyRequests", "", "", Duration.ofSeconds(asked));
    assertThat(refused.atLeastAsAsked(Duration.ofSeconds(ours)))
        .isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @CsvSource({"400, false", "404, false", "409, false", "429, true", "499, false", "500, true"})
  void onlyAnOverloadedOrBrokenServerIsWorthAnotherTry(int status, boolean isPassing) {
    assertThat(new Refused(status, "", "", "", Duration.ZERO).isPassing()).isEqualTo(isPassing);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html>hello</html>", "[]", "\"{}\"", "{", "null"})
  void aSuccessWithoutAnObjectIsNoAnswer(String body) {
    assertThat(replyTo(exchange -> FakeApiServer.text(exchange, 200, body)))
        .isInstanceOf(Unanswered.class);
  }

  @Test
  void anErrorOfAProxyIsShownAsOneLine() {
    assertThat(replyTo(exchange -> FakeApiServer.text(exchange, 502, "<h1>\nBad\tGateway")))
        .isEqualTo(new Refused(502, "", "", "<h1> Bad Gateway", Duration.ZERO));
  }

  @Test
  void anAnswerWithoutEndIsNotReadToItsEnd() {
    assertThat(
            replyTo(exchange -> {
              exchange.sendResponseHeaders(200, 0);
              while (true) {
                exchange.getResponseBody().write(new byte[1 << 16]);
              }
            }))
        .isInstanceOf(Unanswered.class);
  }

  @Test
  void aTokenIsNotCarriedElsewhere() {
    assertThat(
            replyTo(exchange -> {
              exchange.getResponseHeaders().add("Location", "/elsewhere");
              FakeApiServer.text(exchange, 307, "");
            }))
        .isInstanceOf(Refused.class);
  }

  @Test
  void aServerThatIsTooSlowIsNotWaitedForAfterTheDeadline() {
    var end = new CountDownLatch(1);
    try (var fake = FakeApiServer.saying(folder, _ -> pause(end));
        var server = fake.server()) {
      assertThat(server.get(MAP, Duration.ofMillis(300)))
          .isEqualTo(new Unanswered("HttpTimeoutException: no answer within 300 ms"));
      end.countDown();
    }
  }

  @Test
  void aTokenThatWasReplacedOnTheWayIsUsedAtOnce() {
    try (var fake = FakeApiServer.saying(folder, this::wantFreshToken);
        var server = fake.server()) {
      assertThat(server.get(MAP, DEADLINE)).isInstanceOf(Done.class);
      assertThat(fake.asked()).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage\n",
        "{\"type\":\"MODIFIED\",\"object\":{}}\n",
        "{\"type\":\"ERROR\",\"object\":{\"code\":500,\"message\":\"etcd\"}}\n",
        "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":"
      })
  void aWatchGoesOnAfterGarbageFromWhereItStood(String garbage) throws InterruptedException {
    var seen = new Seen();
    var watches = new AtomicInteger();
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange ->
                    FakeApiServer.text(
                        exchange,
                        200,
                        isWatch(exchange)
                            ? watches.incrementAndGet() < 3 ? garbage : CHANGE
                            : LIST));
        var server = fake.server();
        var _ = ObjectWatch.start(server, MAP, seen)) {
      seen.expect("1", "2");
      assertThat(lists(fake)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"200 {\"type\":\"ERROR\",\"object\":{\"code\":410}}\n", "410 {}"})
  void aPlaceThatIsGoneCostsOneList(String gone) throws InterruptedException {
    var seen = new Seen();
    var watches = new AtomicInteger();
    int status = Integer.parseInt(gone.substring(0, 3));
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange -> {
                  boolean first = isWatch(exchange) && watches.incrementAndGet() == 1;
                  FakeApiServer.text(
                      exchange,
                      first ? status : 200,
                      first ? gone.substring(4) : isWatch(exchange) ? CHANGE : LIST);
                });
        var server = fake.server();
        var _ = ObjectWatch.start(server, MAP, seen)) {
      seen.expect("1", "2");
      assertThat(lists(fake)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"metadata\": {\"resourceVersion\": \"7\"}}", "nonsense"})
  void aListThatIsNoneIsNotTakenForAbsence(String list) {
    var seen = new Seen();
    try (var fake =
            FakeApiServer.saying(folder, exchange -> FakeApiServer.text(exchange, 200, list));
        var server = fake.server();
        var watch = ObjectWatch.start(server, MAP, seen)) {
      await().atMost(LIMIT).until(() -> fake.asked().size() > 3);
      assertThat(watch.problem()).isPresent();
      assertThat(seen.rest()).isEmpty();
    }
  }

  @Test
  void aKindThatIsNotServedIsAbsentWhenThatIsSaidThreeTimes() throws InterruptedException {
    var seen = new Seen();
    try (var fake =
            FakeApiServer.saying(folder, exchange -> FakeApiServer.text(exchange, 404, "no"));
        var server = fake.server();
        var _ = ObjectWatch.start(server, GPU_NODE, seen)) {
      seen.expect("-");
      assertThat(fake.asked()).hasSizeGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void nothingIsAbsentByTheWordOfWhatDoesNotServeConfigMaps() {
    var seen = new Seen();
    try (var fake =
            FakeApiServer.saying(folder, exchange -> FakeApiServer.text(exchange, 404, "no"));
        var server = fake.server();
        var watch = ObjectWatch.start(server, MAP, seen)) {
      await().atMost(LIMIT).until(() -> fake.asked().size() > 3);
      assertThat(watch.problem()).isPresent();
      assertThat(seen.rest()).isEmpty();
    }
  }

  private Reply replyTo(FakeApiServer.Answer answer) {
    try (var fake = FakeApiServer.saying(folder, answer);
        var server = fake.server()) {
      Reply reply = server.get(MAP, DEADLINE);
      assertThat(fake.asked()).hasSize(1);
      assertThat(reply.toString()).doesNotContain("a-secret");
      return reply;
    }
  }

  private void wantFreshToken(HttpExchange exchange) throws IOException {
    boolean fresh = exchange.getRequestHeaders().getFirst("Authorization").equals("Bearer fresh");
    Files.writeString(folder.resolve("token"), "fresh\n");
    FakeApiServer.text(exchange, fresh ? 200 : 401, "{}");
  }

  private static boolean isWatch(HttpExchange exchange) {
    return exchange.getRequestURI().getQuery().contains("watch=true");
  }

  private static long lists(FakeApiServer fake) {
    return fake.asked().stream().filter(asked -> !asked.contains("watch=true")).count();
  }

  private static void pause(CountDownLatch end) throws IOException {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
