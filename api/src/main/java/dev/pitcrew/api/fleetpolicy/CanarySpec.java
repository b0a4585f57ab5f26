package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Nodes that go first and alone. An absent section means none.
public record CanarySpec(
    @Nullable Integer nodes, @Nullable Integer soakSeconds, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final CanarySpec ABSENT = Absent.of(CanarySpec.class);

  public CanarySpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// How many nodes go first: none without the section, else one unless set.
  public int nodesOrDefault() {
    return isAbsent() ? 0 : Objects.requireNonNullElse(nodes, 1);
  }

  /// How long they must stay healthy before others follow, ten minutes unless set.
  public Duration soak() {
    return Duration.ofSeconds(Objects.requireNonNullElse(soakSeconds, 600));
  }
}
