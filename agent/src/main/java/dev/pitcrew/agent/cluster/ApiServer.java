package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import dev.pitcrew.core.names.FieldManagers;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/// Reads and writes single objects. Every call blocks until its deadline at most, and is made once:
/// who calls decides whether to try again. All calls, and the watches, share one connection, which
/// is opened by the first of them.
public final class ApiServer implements AutoCloseable {
  /// An object has at most 1.5 MiB in etcd, less than twice that as JSON.
  static final int LARGEST_ANSWER = 4 * 1024 * 1024;

  private static final int PAGE = 500;

  static final BodyHandler<byte[]> BOUNDED =
      BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST_ANSWER);

  private final Connection connection;
  private final String writer;

  private ApiServer(Connection connection, String writer) {
    this.connection = connection;
    this.writer = writer;
  }

  /// Connects to nothing yet: a server that is not there, or a file that cannot be read, shows in
  /// the replies.
  public static ApiServer of(Credentials credentials) {
    return of(credentials, FieldManagers.AGENT);
  }

  /// As the other, for a program that writes under another name than the agent.
  ///
  /// @param writer one of [FieldManagers]
  public static ApiServer of(Credentials credentials, String writer) {
    return new ApiServer(new Connection(credentials), writer);
  }

  public Reply get(ObjectPath path, Duration deadline) {
    return call(Call.get(path.toString(), deadline));
  }

  /// All objects of a kind in all namespaces, as [Reply.Done] with a field `items`. It takes a call
  /// for each page.
  public Reply list(String apiVersion, String resource) {
    var selection =
        new Watch.Selection(
            ObjectPath.of(apiVersion, resource, "x").collection(), "", resource, false);
    return new PagedList(this, selection, PAGE).read();
  }

  /// Creates an object that must not be there yet.
  public Reply create(ObjectPath path, JsonNode object, Duration deadline) {
    return call(Call.post(path.collection(), object, deadline));
  }

  /// As [#create], but the server stores nothing: the reply is the object as it would be kept.
  public Reply tryCreate(ObjectPath path, JsonNode object, Duration deadline) {
    return call(Call.post(path.collection() + "?dryRun=All", object, deadline));
  }

  /// The version of the server, with `major`, `minor` and `gitVersion`.
  public Reply version(Duration deadline) {
    return call(Call.get("/version", deadline));
  }

  /// Replaces an object as a whole. The server refuses it (409) where the object has another
  /// `metadata.resourceVersion` by now.
  public Reply update(ObjectPath path, JsonNode object, Duration deadline) {
    return call(Call.put(path + "?fieldManager=" + writer, object, deadline));
  }

  /// Deletes an object, but only the one that the caller knows: the server refuses it (409) where
  /// it has another uid or another version.
  public Reply delete(ObjectPath path, String uid, String resourceVersion, Duration deadline) {
    ObjectNode options = Json.newObject();
    options.put("apiVersion", "v1").put("kind", "DeleteOptions");
    options.putObject("preconditions").put("uid", uid).put("resourceVersion", resourceVersion);
    return call(Call.delete(path.toString(), options, deadline));
  }

  /// Server-side apply: sets these fields and takes ownership of them by force. For the status, the
  /// path of the subresource.
  ///
  /// @param object with `apiVersion`, `kind` and `metadata.name`
  public Reply apply(ObjectPath path, JsonNode object, Duration deadline) {
    String target = path + "?force=true&fieldManager=" + writer;
    // Every JSON is YAML.
    return call(Call.patch(target, "apply-patch+yaml", object, deadline));
  }

  /// @param operations a JSON patch (RFC 6902)
  public Reply patch(ObjectPath path, JsonNode operations, Duration deadline) {
    String target = path + "?fieldManager=" + writer;
    return call(Call.patch(target, "json-patch+json", operations, deadline));
  }

  /// @param part a strategic merge patch: of lists, elements are named by their keys
  public Reply merge(ObjectPath path, JsonNode part, Duration deadline) {
    String target = path + "?fieldManager=" + writer;
    return call(Call.patch(target, "strategic-merge-patch+json", part, deadline));
  }

  Reply call(Call call) {
    try {
      HttpResponse<byte[]> answer = connection.send(call, BOUNDED);
      return ReplyReader.reply(answer, answer.body());
    } catch (IOException e) {
      return new Unanswered(Connection.words(e));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new Unanswered("interrupted");
    }
  }

  Connection connection() {
    return connection;
  }

  /// Ends calls and watches that are under way; further ones are not answered.
  @Override
  public void close() {
    connection.close();
  }
}
