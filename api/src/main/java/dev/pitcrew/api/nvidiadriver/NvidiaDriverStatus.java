package dev.pitcrew.api.nvidiadriver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What an NVIDIADriver has come to.
public record NvidiaDriverStatus(
    @Nullable String namespace,
    @Nullable String state,
    List<Condition> conditions,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final NvidiaDriverStatus ABSENT = Absent.of(NvidiaDriverStatus.class);

  public NvidiaDriverStatus {
    conditions = Absent.orList(conditions);
    unknown = Absent.orUnknown(unknown);
  }
}
