package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where the files of a Kata runtime class come from; accepted and ignored.
public record KataArtifactsSpec(
    @Nullable String url, @Nullable String pullSecret, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final KataArtifactsSpec ABSENT = Absent.of(KataArtifactsSpec.class);

  public KataArtifactsSpec {
    unknown = Absent.orUnknown(unknown);
  }
}
