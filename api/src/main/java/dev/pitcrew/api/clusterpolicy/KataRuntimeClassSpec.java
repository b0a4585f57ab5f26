package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One Kata runtime class; accepted and ignored.
public record KataRuntimeClassSpec(
    @Nullable String name,
    Map<String, String> nodeSelector,
    KataArtifactsSpec artifacts,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public KataRuntimeClassSpec {
    nodeSelector = Absent.orMap(nodeSelector);
    artifacts = Objects.requireNonNullElse(artifacts, KataArtifactsSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
