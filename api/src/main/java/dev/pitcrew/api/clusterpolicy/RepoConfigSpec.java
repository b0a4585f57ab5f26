package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ConfigMap with package repository files.
public record RepoConfigSpec(@Nullable String configMapName, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final RepoConfigSpec ABSENT = Absent.of(RepoConfigSpec.class);

  public RepoConfigSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> reference() {
    return Optional.ofNullable(configMapName).filter(given -> !given.isEmpty());
  }
}
