package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The MIG layout of a node: the one it should have, and the one that was read back.
///
/// @param inTheWay the pods that a change of it waits for
public record MigStatus(
    @Nullable String desired,
    @Nullable String actual,
    List<PodReference> inTheWay,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final MigStatus ABSENT = Absent.of(MigStatus.class);

  public MigStatus {
    inTheWay = Absent.orList(inTheWay);
    unknown = Absent.orUnknown(unknown);
  }
}
