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

/// The container of one DRA kubelet plugin.
public record KubeletPluginSpec(
    List<EnvVar> env,
    Resources resources,
    HealthcheckSpec healthcheck,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final KubeletPluginSpec ABSENT = Absent.of(KubeletPluginSpec.class);

  public KubeletPluginSpec {
    env = Absent.orList(env);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    healthcheck = Objects.requireNonNullElse(healthcheck, HealthcheckSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
