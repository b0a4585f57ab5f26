package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Settings of MPS sharing.
public record MpsSpec(@Nullable String root, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final MpsSpec ABSENT = Absent.of(MpsSpec.class);

  public MpsSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The host directory of the MPS pipes and logs.
  public String rootOrDefault() {
    return Objects.requireNonNullElse(root, "/run/nvidia/mps");
  }
}
