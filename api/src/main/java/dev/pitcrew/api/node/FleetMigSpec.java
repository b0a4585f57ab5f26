package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How MIG layouts change.
public record FleetMigSpec(@Nullable MigBusy busy, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetMigSpec ABSENT = Absent.of(FleetMigSpec.class);

  public FleetMigSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// What to do when pods are in the way: wait, unless set.
  public MigBusy busyOrDefault() {
    return Objects.requireNonNullElse(busy, MigBusy.WAIT);
  }
}
