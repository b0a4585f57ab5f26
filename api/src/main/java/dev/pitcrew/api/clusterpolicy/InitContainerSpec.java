package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ImageSpec;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An image that older releases used in init containers; accepted and ignored.
public record InitContainerSpec(
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    @Unknown Map<String, JsonNode> unknown)
    implements ImageSpec {

  /// The section where the resource has none.
  public static final InitContainerSpec ABSENT = Absent.of(InitContainerSpec.class);

  public InitContainerSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    unknown = Absent.orUnknown(unknown);
  }
}
