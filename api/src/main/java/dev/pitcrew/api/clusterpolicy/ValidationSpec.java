package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;

/// Variables of one validation step.
public record ValidationSpec(List<EnvVar> env, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ValidationSpec ABSENT = Absent.of(ValidationSpec.class);

  public ValidationSpec {
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }
}
