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

/// The device plugin, on unless disabled.
public record DevicePluginSpec(
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
    DevicePluginConfigSpec config,
    MpsSpec mps,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final DevicePluginSpec ABSENT = Absent.of(DevicePluginSpec.class);

  public DevicePluginSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    config = Objects.requireNonNullElse(config, DevicePluginConfigSpec.ABSENT);
    mps = Objects.requireNonNullElse(mps, MpsSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  @Override
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }
}
