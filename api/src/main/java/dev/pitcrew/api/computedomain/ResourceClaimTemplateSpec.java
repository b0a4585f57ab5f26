package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The claim template that the domain's owner makes for workloads.
public record ResourceClaimTemplateSpec(
    @Nullable String name, @Unknown Map<String, JsonNode> unknown) implements Section {

  /// The section where the resource has none.
  public static final ResourceClaimTemplateSpec ABSENT = Absent.of(ResourceClaimTemplateSpec.class);

  public ResourceClaimTemplateSpec {
    unknown = Absent.orUnknown(unknown);
  }
}
