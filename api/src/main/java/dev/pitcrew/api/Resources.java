package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/// Compute resources of a container; quantities as the user wrote them.
public record Resources(
    Map<String, IntOrString> limits,
    Map<String, IntOrString> requests,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final Resources ABSENT = Absent.of(Resources.class);

  public Resources {
    limits = Absent.orMap(limits);
    requests = Absent.orMap(requests);
    unknown = Absent.orUnknown(unknown);
  }
}
