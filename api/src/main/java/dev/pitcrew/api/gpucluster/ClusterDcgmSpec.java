package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The standalone DCGM host engine of a GPUCluster: off unless enabled, unlike in a ClusterPolicy.
/// `hostPort` is accepted and ignored.
public record ClusterDcgmSpec(
    @Nullable Boolean enabled,
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    Resources resources,
    List<String> args,
    List<EnvVar> env,
    @Nullable Boolean hostNetwork,
    @Nullable Integer hostPort,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final ClusterDcgmSpec ABSENT = Absent.of(ClusterDcgmSpec.class);

  public ClusterDcgmSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }
}
