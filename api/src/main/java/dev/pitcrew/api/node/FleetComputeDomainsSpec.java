package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whether agents serve claims for ComputeDomains on the nodes that serve claims.
public record FleetComputeDomainsSpec(
    @Nullable Boolean enabled, @Unknown Map<String, JsonNode> unknown) implements Section {

  /// The section where the resource has none.
  public static final FleetComputeDomainsSpec ABSENT = Absent.of(FleetComputeDomainsSpec.class);

  public FleetComputeDomainsSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Off unless set.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }
}
