package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How MIG instances are exposed.
public record MigSpec(@Nullable String strategy, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final MigSpec ABSENT = Absent.of(MigSpec.class);

  public MigSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The strategy, where one is set: `none`, `single` or `mixed`.
  public Optional<String> chosenStrategy() {
    return Optional.ofNullable(strategy).filter(given -> !given.isEmpty());
  }
}
