package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The drain of a node before a driver upgrade, off unless enabled.
public record DrainSpec(
    @Nullable Boolean enable,
    @Nullable Boolean force,
    @Nullable String podSelector,
    @Nullable Long timeoutSeconds,
    @Nullable Boolean deleteEmptyDir,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final DrainSpec ABSENT = Absent.of(DrainSpec.class);

  public DrainSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the node is drained.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enable);
  }

  /// Whether pods without a controller are evicted too.
  public boolean isForced() {
    return Boolean.TRUE.equals(force);
  }

  /// The label selector of the pods to evict, empty for all.
  public String podSelectorOrDefault() {
    return Objects.requireNonNullElse(podSelector, "");
  }

  /// Whether pods with emptyDir volumes are evicted too.
  public boolean isDeletingEmptyDir() {
    return Boolean.TRUE.equals(deleteEmptyDir);
  }

  /// How long to try, five minutes unless set; zero means for ever.
  public Duration timeout() {
    return Duration.ofSeconds(Objects.requireNonNullElse(timeoutSeconds, 300L));
  }
}
