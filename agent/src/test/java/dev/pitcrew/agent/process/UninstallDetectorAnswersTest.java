package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.context.AgentContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which answers make an agent that ends take its end for the end of all agents.
class UninstallDetectorAnswersTest {
  private static final AgentContext.Identity AGENT =
      new AgentContext.Identity("node-1", "pitcrew-agent-x", "gpu-operator", "pitcrew-agent");
  private static final Duration APART = Duration.ofMillis(50);

  @TempDir private Path folder;

  /// As kube-apiserver 1.36 writes them; a path that is not installed yet it answers with a text.
  private enum Answer {
    THERE(200, "{\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"pitcrew-agent\"}}"),
    GOING(
        200,
        "{\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"pitcrew-agent\",\"deletionTimestamp\":\"2026-11-25T10:00:00Z\"}}"),
    GONE(404, notFound("apps", "daemonsets", "pitcrew-agent")),
    NO_SUCH_POD(404, notFound("", "pods", "pitcrew-agent")),
    NO_SUCH_RESOURCE(
        404, status("NotFound", "the server could not find the requested resource", "{}", 404)),
    NO_SUCH_PATH(404, "404 page not found\n"),
    UNAUTHORIZED(401, status("Unauthorized", "Unauthorized", "{}", 401)),
    FORBIDDEN(
        403,
        status(
            "Forbidden",
            "daemonsets.apps is forbidden",
            "{\"name\":\"pitcrew-agent\",\"group\":\"apps\",\"kind\":\"daemonsets\"}",
            403)),
    OVERLOADED(429, status("TooManyRequests", "try again", "{}", 429)),
    STARTING(503, "{}");

    private final int code;
    private final String body;

    Answer(int code, String body) {
      this.code = code;
      this.body = body;
    }

    private static String notFound(String group, String resource, String name) {
      String details =
          "{\"name\":\"%s\",\"group\":\"%s\",\"kind\":\"%s\"}".formatted(name, group, resource);
      return status("NotFound", "%s \\\"%s\\\" not found".formatted(resource, name), details, 404);
    }

    private static String status(String reason, String message, String details, int code) {
      return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"details\":%s,\"code\":%d}"
          .formatted(message, reason, details, code);
    }
  }

  /// The last answer is given again and again.
  @ParameterizedTest
  @CsvSource({
    "THERE, false",
    "GONE, true",
    "GOING, true",
    "GOING GONE, true",
    "GONE THERE, false",
    "NO_SUCH_PATH, false",
    "NO_SUCH_POD, false",
    "NO_SUCH_RESOURCE, false",
    "NO_SUCH_PATH THERE, false",
    "NO_SUCH_PATH GONE, true",
    "UNAUTHORIZED, false",
    "FORBIDDEN, false",
    "UNAUTHORIZED FORBIDDEN THERE, false",
    "GONE UNAUTHORIZED, true",
    "GONE FORBIDDEN, true",
    "GONE STARTING, false",
    "OVERLOADED, false",
    "STARTING, false",
  })
  void whileTheOperatorsDocumentIsThere(String answers, boolean isUnderWay)
      throws InterruptedException {
    assertThat(isUnderWay(answers, false)).isEqualTo(isUnderWay);
  }

  @ParameterizedTest
  @CsvSource({
    "THERE, false",
    "GONE, true",
    "UNAUTHORIZED, true",
    "FORBIDDEN, true",
    "FORBIDDEN THERE, false",
    "STARTING, false",
    "NO_SUCH_PATH, false",
  })
  void onceItIsDeleted(String answers, boolean isUnderWay) throws InterruptedException {
    assertThat(isUnderWay(answers, true)).isEqualTo(isUnderWay);
  }

  @Test
  void anAgentThatRunsByHandDoesNotAsk() throws InterruptedException {
    try (var fake = FakeApiServer.saying(folder, exchange -> say(exchange, Answer.GONE));
        var server = fake.server()) {
      var byHand = new AgentContext.Identity("node-1", "node-1", "gpu-operator", "pitcrew-agent");
      assertThat(UninstallDetector.isUnderWay(server, byHand, () -> true, APART)).isFalse();
      assertThat(fake.asked()).isEmpty();
    }
  }

  private boolean isUnderWay(String answers, boolean isDocumentGone) throws InterruptedException {
    List<Answer> wanted = Stream.of(answers.split(" ", -1)).map(Answer::valueOf).toList();
    Deque<Answer> left = new ConcurrentLinkedDeque<>(wanted);
    try (var fake =
            FakeApiServer.saying(
                folder,
                exchange -> say(exchange, left.size() > 1 ? left.removeFirst() : left.getFirst()));
        var server = fake.server()) {
      return UninstallDetector.isUnderWay(server, AGENT, () -> isDocumentGone, APART);
    }
  }

  private static void say(HttpExchange exchange, Answer answer) throws IOException {
    FakeApiServer.text(exchange, answer.code, answer.body);
  }
}
