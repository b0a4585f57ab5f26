package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A section with nothing but a switch, off unless enabled.
public record ToggleSpec(@Nullable Boolean enabled, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ToggleSpec ABSENT = Absent.of(ToggleSpec.class);

  public ToggleSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether it is on.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }
}
