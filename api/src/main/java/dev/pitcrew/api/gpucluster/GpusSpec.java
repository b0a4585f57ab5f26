package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;

/// GPUs through DRA: always on.
public record GpusSpec(KubeletPluginSpec kubeletPlugin, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final GpusSpec ABSENT = Absent.of(GpusSpec.class);

  public GpusSpec {
    kubeletPlugin = Objects.requireNonNullElse(kubeletPlugin, KubeletPluginSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
