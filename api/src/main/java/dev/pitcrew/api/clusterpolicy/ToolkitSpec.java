package dev.pitcrew.api.clusterpolicy;

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

/// The container toolkit, on unless disabled.
public record ToolkitSpec(
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
    @Nullable String installDir,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final ToolkitSpec ABSENT = Absent.of(ToolkitSpec.class);

  public ToolkitSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }

  @Override
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }

  /// The host directory that the toolkit is installed into.
  public String installDirOrDefault() {
    return Objects.requireNonNullElse(installDir, "/usr/local/nvidia");
  }
}
