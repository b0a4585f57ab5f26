package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One GPU of a node. Before the driver is loaded only the PCI address is known.
public record Gpu(
    @JsonProperty(required = true) String pciAddress,
    @Nullable Integer index,
    @Nullable String uuid,
    @Nullable String product,
    @Nullable Long memoryMiB,
    @Nullable Boolean migCapable,
    List<MigInstance> instances,
    List<String> nvlinkPeers,
    GpuHealth health,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public Gpu {
    instances = Absent.orList(instances);
    nvlinkPeers = Absent.orList(nvlinkPeers);
    health = Objects.requireNonNullElse(health, GpuHealth.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the GPU can be split into MIG instances.
  public boolean isMigCapable() {
    return Boolean.TRUE.equals(migCapable);
  }
}
