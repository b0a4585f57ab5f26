package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The part of an object's metadata that readers use; the rest is kept as it came.
public record ObjectMeta(
    @Nullable String name,
    @Nullable String namespace,
    @Nullable String uid,
    @Nullable String resourceVersion,
    @Nullable Long generation,
    @Nullable String creationTimestamp,
    @Nullable String deletionTimestamp,
    Map<String, String> labels,
    Map<String, String> annotations,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ObjectMeta ABSENT = Absent.of(ObjectMeta.class);

  public ObjectMeta {
    labels = Absent.orMap(labels);
    annotations = Absent.orMap(annotations);
    unknown = Absent.orUnknown(unknown);
  }

  /// The name, empty where the object has none yet.
  public String nameOrDefault() {
    return Objects.requireNonNullElse(name, "");
  }

  /// When the API server created the object; empty before that.
  public Optional<Instant> createdAt() {
    return Optional.ofNullable(creationTimestamp).map(Instant::parse);
  }

  /// Whether the object is being deleted.
  public boolean isDeleting() {
    return deletionTimestamp != null;
  }
}
