package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The nodes with GPUs of the fleet.
///
/// @param byReason those that are not ready, the most frequent reason first
public record FleetNodes(
    @Nullable Integer total,
    @Nullable Integer ready,
    List<ReasonCount> byReason,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetNodes ABSENT = Absent.of(FleetNodes.class);

  public FleetNodes {
    byReason = Absent.orList(byReason);
    unknown = Absent.orUnknown(unknown);
  }
}
