package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a ComputeDomain asks for; never changed once set.
public record ComputeDomainSpec(
    @Nullable Long numNodes, ChannelSpec channel, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ComputeDomainSpec ABSENT = Absent.of(ComputeDomainSpec.class);

  public ComputeDomainSpec {
    channel = Objects.requireNonNullElse(channel, ChannelSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
