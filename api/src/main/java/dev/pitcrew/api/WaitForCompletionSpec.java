package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Which pods may finish before a driver upgrade, and for how long.
public record WaitForCompletionSpec(
    @Nullable String podSelector,
    @Nullable Long timeoutSeconds,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final WaitForCompletionSpec ABSENT = Absent.of(WaitForCompletionSpec.class);

  public WaitForCompletionSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The label selector of the pods, empty for none.
  public String podSelectorOrDefault() {
    return Objects.requireNonNullElse(podSelector, "");
  }

  /// How long to wait; zero means for ever.
  public Duration timeout() {
    return Duration.ofSeconds(Objects.requireNonNullElse(timeoutSeconds, 0L));
  }
}
