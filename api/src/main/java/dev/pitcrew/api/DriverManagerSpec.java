package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The init container that prepares a node for a driver pod.
public record DriverManagerSpec(
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    List<EnvVar> env,
    @Unknown Map<String, JsonNode> unknown)
    implements ImageSpec {

  /// The section where the resource has none.
  public static final DriverManagerSpec ABSENT = Absent.of(DriverManagerSpec.class);

  public DriverManagerSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }
}
