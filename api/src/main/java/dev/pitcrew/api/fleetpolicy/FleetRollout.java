package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where the roll-out of a driver stands, over all nodes that are upgraded automatically.
///
/// @param version of the driver that is wanted; several where nodes are to have different ones
/// @param done nodes that have the driver that is wanted
/// @param waiting nodes that wait for their turn
/// @param wave name of the first wave with nodes that are not through
/// @param message why it does not go on, where it does not
/// @param blockers nodes that failed, then those under way, with what each waits for
/// @param since when phase or version last changed
public record FleetRollout(
    @JsonProperty(required = true) FleetRolloutPhase phase,
    @Nullable String version,
    @Nullable Integer done,
    @Nullable Integer underWay,
    @Nullable Integer waiting,
    @Nullable Integer failed,
    @Nullable String wave,
    @Nullable String message,
    List<RolloutBlocker> blockers,
    @Nullable String since,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetRollout ABSENT =
      Absent.of(FleetRollout.class, Map.of("phase", FleetRolloutPhase.IDLE));

  /// Nothing is upgraded automatically.
  public static final FleetRollout IDLE =
      new FleetRollout(
          FleetRolloutPhase.IDLE, null, 0, 0, 0, 0, null, null, List.of(), null, Map.of());

  public FleetRollout {
    blockers = Absent.orList(blockers);
    unknown = Absent.orUnknown(unknown);
  }

  /// The same, in this phase since then.
  public FleetRollout at(@Nullable String time) {
    return new FleetRollout(
        phase, version, done, underWay, waiting, failed, wave, message, blockers, time, unknown);
  }
}
