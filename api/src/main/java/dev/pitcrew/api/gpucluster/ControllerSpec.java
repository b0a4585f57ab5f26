package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The controller of compute domains.
public record ControllerSpec(
    List<EnvVar> env, Resources resources, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ControllerSpec ABSENT = Absent.of(ControllerSpec.class);

  public ControllerSpec {
    env = Absent.orList(env);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
