package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a ComputeDomain has come to.
public record ComputeDomainStatus(
    @Nullable String status, List<ComputeDomainNode> nodes, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ComputeDomainStatus ABSENT = Absent.of(ComputeDomainStatus.class);

  public ComputeDomainStatus {
    nodes = Absent.orList(nodes);
    unknown = Absent.orUnknown(unknown);
  }
}
