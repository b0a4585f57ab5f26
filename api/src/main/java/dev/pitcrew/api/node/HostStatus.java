package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a node's host is, and who sets up what on it.
///
/// @param name that its distribution gives itself
/// @param profile what kind of host it was taken for, such as `Bottlerocket`
public record HostStatus(
    @Nullable String name,
    @Nullable String profile,
    HostPartStatus runtime,
    HostPartStatus toolkit,
    HostPartStatus driver,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final HostStatus ABSENT = Absent.of(HostStatus.class);

  public HostStatus {
    runtime = Objects.requireNonNullElse(runtime, HostPartStatus.ABSENT);
    toolkit = Objects.requireNonNullElse(toolkit, HostPartStatus.ABSENT);
    driver = Objects.requireNonNullElse(driver, HostPartStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
