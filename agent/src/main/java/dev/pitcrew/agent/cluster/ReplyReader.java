package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Refused;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Converts any HTTP answer to a reply.
final class ReplyReader {
  private static final int SUCCESS = 2;
  private static final int LONGEST_MESSAGE = 500;
  private static final int LONGEST_WAIT_DIGITS = 6;

  private ReplyReader() {}

  static Reply reply(HttpResponse<?> answer, byte[] body) {
    JsonNode object = Json.object(body).map(JsonNode.class::cast).orElse(MissingNode.getInstance());
    if (answer.statusCode() / 100 != SUCCESS) {
      return refused(answer, body, object);
    }
    return object.isObject()
        ? new Done(object)
        : new Unanswered("HTTP %d with what is no object of JSON".formatted(answer.statusCode()));
  }

  private static Refused refused(HttpResponse<?> answer, byte[] body, JsonNode status) {
    String text =
        new String(body, 0, Math.min(body.length, LONGEST_MESSAGE), StandardCharsets.UTF_8);
    return new Refused(
        answer.statusCode(),
        status.path("reason").asText(),
        about(status),
        printable(status.path("message").asText(text)),
        retryAfter(answer));
  }

  /// The `kind` in the details is the resource's name in addresses (apimachinery, `NewNotFound`).
  private static String about(JsonNode status) {
    JsonNode details = status.path("details");
    String name = details.path("name").asText();
    if (name.isEmpty() || !status.path("kind").asText().equals("Status")) {
      return "";
    }
    String group = details.path("group").asText();
    String resource = details.path("kind").asText();
    return "%s/%s".formatted(group.isEmpty() ? resource : resource + "." + group, name);
  }

  /// Only seconds: Kubernetes never sends the other form, a date.
  private static Duration retryAfter(HttpResponse<?> answer) {
    return answer
        .headers()
        .firstValue("Retry-After")
        .filter(seconds -> seconds.matches("[0-9]{1," + LONGEST_WAIT_DIGITS + "}"))
        .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
        .orElse(Duration.ZERO);
  }

  /// One line of bounded length: it goes into logs and conditions.
  static String printable(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.length() > LONGEST_MESSAGE ? line.substring(0, LONGEST_MESSAGE) + "…" : line;
  }
}
