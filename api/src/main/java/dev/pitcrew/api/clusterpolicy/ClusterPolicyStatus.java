package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a ClusterPolicy has come to.
public record ClusterPolicyStatus(
    @Nullable String namespace,
    @Nullable String state,
    List<Condition> conditions,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ClusterPolicyStatus ABSENT = Absent.of(ClusterPolicyStatus.class);

  public ClusterPolicyStatus {
    conditions = Absent.orList(conditions);
    unknown = Absent.orUnknown(unknown);
  }
}
