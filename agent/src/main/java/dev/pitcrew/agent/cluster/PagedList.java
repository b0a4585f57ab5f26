package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Reads a list page by page: an answer is bounded, and a node may have any number of pods.
///
/// See [retrieving large results sets in
/// chunks](https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks).
///
/// @param page how many objects are asked for at a time
record PagedList(ApiServer server, Watch.Selection selection, int page) {
  /// For each page.
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /// Far more than a node could have pods: no server can fill the memory.
  private static final int MOST_PAGES = 100;

  /// The whole list, all of one moment. Where the server forgets that moment on the way, it refuses
  /// a page as gone (410), and only another list helps.
  Reply read() {
    ArrayNode items = JsonNodeFactory.instance.arrayNode();
    Reply reply = server.call(call(""));
    for (int pages = 1; reply instanceof Done(ObjectNode part) && isList(part); pages++) {
      part.path("items").forEach(items::add);
      String next = part.at("/metadata/continue").asText();
      if (next.isEmpty()) {
        return new Done(part.set("items", items));
      }
      if (pages == MOST_PAGES) {
        return new Unanswered("a list of more than %d pages".formatted(MOST_PAGES));
      }
      reply = server.call(call(next));
    }
    return reply;
  }

  private static boolean isList(ObjectNode part) {
    return part.path("items").isArray();
  }

  /// @param from the server's word for where a page begins; empty for the first
  private Call call(String from) {
    String place =
        from.isEmpty() ? "" : "&continue=" + URLEncoder.encode(from, StandardCharsets.UTF_8);
    return Call.get(
        selection.query("&limit=" + page + place),
        selection.accept("PartialObjectMetadataList"),
        DEADLINE);
  }
}
