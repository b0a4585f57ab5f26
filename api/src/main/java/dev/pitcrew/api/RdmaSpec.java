package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// GPUDirect RDMA through nvidia-peermem.
public record RdmaSpec(
    @Nullable Boolean enabled,
    @Nullable Boolean useHostMofed,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final RdmaSpec ABSENT = Absent.of(RdmaSpec.class);

  public RdmaSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether RDMA is wanted.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// Whether the host's own network driver is used; it counts only with RDMA itself enabled.
  public boolean isHostMofed() {
    return isEnabled() && Boolean.TRUE.equals(useHostMofed);
  }
}
