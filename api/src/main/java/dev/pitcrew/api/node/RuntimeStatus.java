package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The container runtime of a node.
public record RuntimeStatus(
    @Nullable String name,
    @Nullable String version,
    @Nullable String configFile,
    List<String> handlers,
    @Nullable NriPhase nri,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final RuntimeStatus ABSENT = Absent.of(RuntimeStatus.class);

  public RuntimeStatus {
    handlers = Absent.orList(handlers);
    unknown = Absent.orUnknown(unknown);
  }
}
