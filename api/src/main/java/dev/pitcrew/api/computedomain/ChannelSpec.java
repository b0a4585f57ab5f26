package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The channels that a workload gets.
public record ChannelSpec(
    @Nullable String allocationMode,
    ResourceClaimTemplateSpec resourceClaimTemplate,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ChannelSpec ABSENT = Absent.of(ChannelSpec.class);

  public ChannelSpec {
    resourceClaimTemplate =
        Objects.requireNonNullElse(resourceClaimTemplate, ResourceClaimTemplateSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// `Single` for one channel, `All` for every one.
  public String allocationModeOrDefault() {
    return Objects.requireNonNullElse(allocationMode, "Single");
  }
}
