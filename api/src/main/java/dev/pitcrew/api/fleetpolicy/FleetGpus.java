package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The GPUs of the fleet.
///
/// @param allocatable those that pods can have, whether or not one has them
/// @param unhealthy those that no pod gets
/// @param shared those that are divided, shared or allocated by claims
/// @param byHealth how many are of which level, from best to worst
public record FleetGpus(
    @Nullable Integer total,
    @Nullable Integer allocatable,
    @Nullable Integer unhealthy,
    @Nullable Integer shared,
    List<HealthCount> byHealth,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetGpus ABSENT = Absent.of(FleetGpus.class);

  public FleetGpus {
    byHealth = Absent.orList(byHealth);
    unknown = Absent.orUnknown(unknown);
  }
}
