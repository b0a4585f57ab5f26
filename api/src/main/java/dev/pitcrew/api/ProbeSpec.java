package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The numbers of a container probe; where one is absent the operand's own number holds.
public record ProbeSpec(
    @Nullable Integer initialDelaySeconds,
    @Nullable Integer timeoutSeconds,
    @Nullable Integer periodSeconds,
    @Nullable Integer successThreshold,
    @Nullable Integer failureThreshold,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ProbeSpec ABSENT = Absent.of(ProbeSpec.class);

  public ProbeSpec {
    unknown = Absent.orUnknown(unknown);
  }
}
