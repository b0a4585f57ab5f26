package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.WatchedObject.Absent;
import dev.pitcrew.agent.cluster.WatchedObject.Present;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// Reports the state of one object: first as it is, then each change, whatever happens to the
/// connection.
public final class ObjectWatch implements AutoCloseable {
  private final Watch watch;

  private ObjectWatch(Watch watch) {
    this.watch = watch;
  }

  /// @param listener receives one sighting after the other on a thread of the watch, none twice
  public static ObjectWatch start(
      ApiServer server, ObjectPath path, Consumer<WatchedObject> listener) {
    return new ObjectWatch(Watch.start(server, selection(path), new Sightings(path, listener)));
  }

  static ObjectWatch start(
      ApiServer server, ObjectPath path, Duration silence, Consumer<WatchedObject> listener) {
    return new ObjectWatch(
        Watch.start(server, selection(path), silence, new Sightings(path, listener)));
  }

  private static Watch.Selection selection(ObjectPath path) {
    return new Watch.Selection(
        path.collection(), "metadata.name%3D" + path.name(), path.toString(), false);
  }

  /// Why the object cannot be seen at present; the last report may be outdated then.
  public Optional<String> problem() {
    return watch.problem();
  }

  /// Nothing is reported once this has returned.
  @Override
  public void close() {
    watch.close();
  }

  /// Of the watch's thread alone.
  private static final class Sightings implements Watch.Follower {
    private final ObjectPath path;
    private final Consumer<WatchedObject> listener;
    private Optional<WatchedObject> published = Optional.empty();

    private Sightings(ObjectPath path, Consumer<WatchedObject> listener) {
      this.path = path;
      this.listener = listener;
    }

    @Override
    public void listed(JsonNode list) {
      publish(list.path("items").isEmpty() ? new Absent() : present(list));
    }

    /// The objects of a list do not say of what kind they are, unlike those of a watch.
    private static Present present(JsonNode list) {
      ObjectNode object = Json.newObject();
      object.set("apiVersion", list.path("apiVersion"));
      object.put("kind", list.path("kind").asText().replaceFirst("List$", ""));
      list.path("items")
          .path(0)
          .properties()
          .forEach(field -> object.set(field.getKey(), field.getValue()));
      return new Present(object);
    }

    @Override
    public void changed(JsonNode object) {
      publish(new Present(object));
    }

    @Override
    public void deleted(JsonNode object) {
      publish(new Absent());
    }

    /// What says so of a kind that every API server serves is none.
    @Override
    public void unserved() {
      if (!path.isCore()) {
        publish(new Absent());
      }
    }

    private void publish(WatchedObject sighting) {
      if (published.filter(before -> isSame(before, sighting)).isEmpty()) {
        published = Optional.of(sighting);
        listener.accept(sighting);
      }
    }

    private static boolean isSame(WatchedObject before, WatchedObject now) {
      return switch (now) {
        case Absent() -> before instanceof Absent;
        case Present present ->
            before instanceof Present old
                && old.resourceVersion().equals(present.resourceVersion());
      };
    }
  }
}
