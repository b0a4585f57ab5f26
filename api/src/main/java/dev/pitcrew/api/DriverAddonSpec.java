package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A kernel module that runs beside the driver: GPUDirect Storage or GDRCopy. Off unless enabled;
/// `args` are accepted and ignored.
public record DriverAddonSpec(
    @Nullable Boolean enabled,
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    List<String> args,
    List<EnvVar> env,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final DriverAddonSpec ABSENT = Absent.of(DriverAddonSpec.class);

  public DriverAddonSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    args = Absent.orList(args);
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }
}
