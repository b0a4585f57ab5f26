package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// All GPUNodes of the cluster in a few numbers.
///
/// @param drivers how many nodes have which version, the most frequent first
/// @param observedAt when one of the numbers last changed
public record FleetSummary(
    FleetNodes nodes,
    FleetGpus gpus,
    List<DriverCount> drivers,
    @Nullable String observedAt,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetSummary ABSENT = Absent.of(FleetSummary.class);

  public FleetSummary {
    nodes = Objects.requireNonNullElse(nodes, FleetNodes.ABSENT);
    gpus = Objects.requireNonNullElse(gpus, FleetGpus.ABSENT);
    drivers = Absent.orList(drivers);
    unknown = Absent.orUnknown(unknown);
  }

  /// The same, with the time at which it came to be so.
  public FleetSummary at(@Nullable String time) {
    return new FleetSummary(nodes, gpus, drivers, time, unknown);
  }
}
