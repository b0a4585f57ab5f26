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
import dev.pitcrew.core.names.NodeLabels;
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
  private final WakeUp wakeUp;

  /// What came of it.
  sealed interface Answer {
    record Now(Observed.Node node) implements Answer {}

    /// Another client has changed the Node since it was read, and nothing was written.
    record Outdated() implements Answer {}

    record Failed(String words) implements Answer {}
  }

  /// @param wakeUp ends the tries
  NodeAccount(ApiServer server, ObjectPath path, WakeUp wakeUp) {
    this.server = server;
    this.path = path;
    this.wakeUp = wakeUp;
  }

  Answer read() throws InterruptedException {
    return call("read", () -> server.get(path, DEADLINE));
  }

  /// One patch, of the Node as it was read. What it says of a wait is over by then.
  Answer label(Observed.Node read, Map<String, String> labels) throws InterruptedException {
    ObjectNode patch = patch(read);
    ObjectNode wanted = patch.withObject("/metadata/labels");
    labels.forEach(wanted::put);
    if (read.waitsFor().isPresent()) {
      patch.withObject("/metadata/annotations").putNull(NodeLabels.DRIVER_MANAGER_WAITS);
    }
    return call("labelled " + labels, () -> server.merge(path, patch, DEADLINE));
  }

  /// Writes to the Node what the manager waits for. No program depends on it, so it is tried once.
  Answer say(Observed.Node read, String words) {
    ObjectNode patch = patch(read);
    patch.withObject("/metadata/annotations").put(NodeLabels.DRIVER_MANAGER_WAITS, words);
    return switch (server.merge(path, patch, DEADLINE)) {
      case Reply.Done(var node) -> new Answer.Now(node(node));
      case Reply.Refused refused when refused.status() == HTTP_CONFLICT -> new Answer.Outdated();
      case Reply.Refused refused -> unsaid(read, refused.message());
      case Reply.Unanswered(var reason) -> unsaid(read, reason);
    };
  }

  private Answer unsaid(Observed.Node read, String why) {
    LOG.atWarn().addKeyValue("why", why).log("{} does not say what is waited for", path);
    return new Answer.Now(read);
  }

  private static ObjectNode patch(Observed.Node read) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("resourceVersion", read.version());
    return patch;
  }

  private Answer call(String what, Supplier<Reply> call) throws InterruptedException {
    Optional<String> why = Optional.empty();
    for (int attempt = 0; attempt == 0 || isWorthATry(attempt); attempt++) {
      wakeUp.await(BACKOFF.delay(attempt, ThreadLocalRandom.current()));
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
    return failed(what, why.orElse("the program was asked to stop"));
  }

  /// A program that was asked to stop still makes the first attempt: it has to end a pause.
  private boolean isWorthATry(int attempt) {
    return attempt < MOST_TRIES && !wakeUp.isOver();
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
