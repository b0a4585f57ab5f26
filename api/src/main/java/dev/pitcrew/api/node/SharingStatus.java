package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How several pods share one GPU of the node.
public record SharingStatus(
    @Nullable String config,
    @Nullable SharingStrategy strategy,
    @Nullable Integer replicas,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final SharingStatus ABSENT = Absent.of(SharingStatus.class);

  public SharingStatus {
    unknown = Absent.orUnknown(unknown);
  }
}
