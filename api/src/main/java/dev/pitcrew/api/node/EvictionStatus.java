package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;

/// What came of evicting pods of a node. The operator writes it.
///
/// @param blocked the pods that are to go and are not evicted
public record EvictionStatus(List<BlockedEviction> blocked, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final EvictionStatus ABSENT = Absent.of(EvictionStatus.class);

  public EvictionStatus {
    blocked = Absent.orList(blocked);
    unknown = Absent.orUnknown(unknown);
  }
}
