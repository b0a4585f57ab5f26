package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How pods that hold GPUs are deleted before a driver upgrade.
public record PodDeletionSpec(
    @Nullable Boolean force,
    @Nullable Long timeoutSeconds,
    @Nullable Boolean deleteEmptyDir,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final PodDeletionSpec ABSENT = Absent.of(PodDeletionSpec.class);

  public PodDeletionSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether pods without a controller are deleted too.
  public boolean isForced() {
    return Boolean.TRUE.equals(force);
  }

  /// Whether pods with emptyDir volumes are deleted too.
  public boolean isDeletingEmptyDir() {
    return Boolean.TRUE.equals(deleteEmptyDir);
  }

  /// How long to try, five minutes unless set; zero means for ever.
  public Duration timeout() {
    return Duration.ofSeconds(Objects.requireNonNullElse(timeoutSeconds, 300L));
  }
}
