package dev.pitcrew.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One environment variable of an operand's container. The resources allow literal values only.
public record EnvVar(
    @JsonProperty(required = true) String name,
    @Nullable String value,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {
  public EnvVar {
    unknown = Absent.orUnknown(unknown);
  }

  /// A variable with a value.
  public static EnvVar of(String name, String value) {
    return new EnvVar(name, value, Map.of());
  }

  /// The value, empty where none is given.
  public String valueOrDefault() {
    return Objects.requireNonNullElse(value, "");
  }
}
