package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A reference to a ConfigMap by name; an empty name counts as none.
public record NamedConfig(@Nullable String name, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final NamedConfig ABSENT = Absent.of(NamedConfig.class);

  public NamedConfig {
    unknown = Absent.orUnknown(unknown);
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> reference() {
    return Optional.ofNullable(name).filter(given -> !given.isEmpty());
  }
}
