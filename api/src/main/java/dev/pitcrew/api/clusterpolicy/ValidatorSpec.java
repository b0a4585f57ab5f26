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

/// The validator. It has no switch: it is always on.
public record ValidatorSpec(
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    Resources resources,
    List<String> args,
    List<EnvVar> env,
    @Nullable Boolean hostNetwork,
    ValidationSpec driver,
    ValidationSpec toolkit,
    ValidationSpec cuda,
    ValidationSpec plugin,
    ValidationSpec vfioPCI,
    ValidationSpec vgpuManager,
    ValidationSpec vgpuDevices,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final ValidatorSpec ABSENT = Absent.of(ValidatorSpec.class);

  public ValidatorSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    driver = Objects.requireNonNullElse(driver, ValidationSpec.ABSENT);
    toolkit = Objects.requireNonNullElse(toolkit, ValidationSpec.ABSENT);
    cuda = Objects.requireNonNullElse(cuda, ValidationSpec.ABSENT);
    plugin = Objects.requireNonNullElse(plugin, ValidationSpec.ABSENT);
    vfioPCI = Objects.requireNonNullElse(vfioPCI, ValidationSpec.ABSENT);
    vgpuManager = Objects.requireNonNullElse(vgpuManager, ValidationSpec.ABSENT);
    vgpuDevices = Objects.requireNonNullElse(vgpuDevices, ValidationSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  @Override
  public @Nullable Boolean enabled() {
    return null;
  }

  @Override
  public boolean isEnabled() {
    return true;
  }
}
