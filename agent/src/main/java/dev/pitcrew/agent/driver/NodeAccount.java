package dev.pitcrew.agent.driver;

import static java.net.HttpURLConnection.HTTP_CONFLICT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.core.Backoff;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads and labels the Node. What may succeed a little later is tried again for a while; what is
/// refused is not.
final class NodeAccount {
  private static final Logger LOG = LoggerFactory.getLogger(NodeAccount.class);
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(500), Duration.ofSeconds(15));

  /// With the backoff about two minutes.
  private static final int MOST_TRIES = 12;

  private final ApiServer server;
  private final ObjectPath path;
  private final Bell bell;

  /// What came of it.
  sealed interface Answer {
    record Now(Observed.Node node) implements Answer {}

    /// Somebody has changed the Node since it was read, and nothing was written.
    record Outdated() implements Answer {}

    record Failed(String words) implements Answer {}
  }

  /// @param bell ends the tries
  NodeAccount(ApiServer server, ObjectPath path, Bell bell) {
    this.server = server;
    this.path = path;
    this.bell = bell;
  }

  Answer read() throws InterruptedException {
    return call("read", () -> server.get(path, DEADLINE));
  }

  /// One patch, of the Node as it was read.
  Answer label(Observed.Node read, Map<String, String> labels) throws InterruptedException {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject("metadata");
    metadata.put("resourceVersion", read.version());
    ObjectNode wanted = metadata.putObject("labels");
    labels.forEach(wanted::put);
    return call("labelled " + labels, () -> server.merge(path, patch, DEADLINE));
  }

  private Answer call(String what, Supplier<Reply> call) throws InterruptedException {
    Optional<String> why = Optional.empty();
    for (int attempt = 0; attempt == 0 || isWorthATry(attempt); attempt++) {
      bell.await(BACKOFF.delay(attempt, ThreadLocalRandom.current()));
      switch (call.get()) {
        case Reply.Done(var node) -> {
          return new Answer.Now(node(node));
        }
        case Reply.Refused refused when refused.status() == HTTP_CONFLICT -> {
          return new Answer.Outdated();
        }
        case Reply.Refused refused when !refused.isPassing() -> {
          return failed(what, "%d %s".formatted(refused.status(), refused.message()));
        }
        case Reply.Refused refused -> why = Optional.of(refused.message());
        case Reply.Unanswered(var reason) -> why = Optional.of(reason);
      }
      LOG.atWarn().addKeyValue("why", why.get()).log("{} was not {}; trying again", path, what);
    }
    return failed(what, why.orElse("told to end"));
  }

  /// The first try is made also by whoever was told to end: a pause is to be ended.
  private boolean isWorthATry(int attempt) {
    return attempt < MOST_TRIES && !bell.isOver();
  }

  private Answer failed(String what, String why) {
    return new Answer.Failed("%s was not %s: %s".formatted(path, what, why));
  }

  private static Observed.Node node(JsonNode node) {
    return new Observed.Node(
        texts(node.at("/metadata/labels")),
        texts(node.at("/metadata/annotations")),
        node.at("/metadata/resourceVersion").asText());
  }

  private static Map<String, String> texts(JsonNode object) {
    return object.properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().asText()));
  }
}
