package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.DriverManagerSpec;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.NamedConfig;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.ProbeSpec;
import dev.pitcrew.api.RdmaSpec;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Unknown;
import dev.pitcrew.api.UpgradePolicySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The driver container, on unless disabled. `useOpenKernelModules` is accepted and ignored:
/// [#kernelModuleType] replaced it.
public record DriverSpec(
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
    @Nullable Boolean usePrecompiled,
    @Nullable Boolean useNvidiaDriverCRD,
    @Nullable Boolean useOpenKernelModules,
    @Nullable String kernelModuleType,
    ProbeSpec startupProbe,
    ProbeSpec livenessProbe,
    ProbeSpec readinessProbe,
    RdmaSpec rdma,
    UpgradePolicySpec upgradePolicy,
    DriverManagerSpec manager,
    RepoConfigSpec repoConfig,
    NamedConfig certConfig,
    LicensingConfigSpec licensingConfig,
    VirtualTopologySpec virtualTopology,
    NamedConfig kernelModuleConfig,
    @Nullable String secretEnv,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final DriverSpec ABSENT = Absent.of(DriverSpec.class);

  public DriverSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    startupProbe = Objects.requireNonNullElse(startupProbe, ProbeSpec.ABSENT);
    livenessProbe = Objects.requireNonNullElse(livenessProbe, ProbeSpec.ABSENT);
    readinessProbe = Objects.requireNonNullElse(readinessProbe, ProbeSpec.ABSENT);
    rdma = Objects.requireNonNullElse(rdma, RdmaSpec.ABSENT);
    upgradePolicy = Objects.requireNonNullElse(upgradePolicy, UpgradePolicySpec.ABSENT);
    manager = Objects.requireNonNullElse(manager, DriverManagerSpec.ABSENT);
    repoConfig = Objects.requireNonNullElse(repoConfig, RepoConfigSpec.ABSENT);
    certConfig = Objects.requireNonNullElse(certConfig, NamedConfig.ABSENT);
    licensingConfig = Objects.requireNonNullElse(licensingConfig, LicensingConfigSpec.ABSENT);
    virtualTopology = Objects.requireNonNullElse(virtualTopology, VirtualTopologySpec.ABSENT);
    kernelModuleConfig = Objects.requireNonNullElse(kernelModuleConfig, NamedConfig.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  @Override
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }

  /// Whether driver images with ready kernel modules are used.
  public boolean isPrecompiled() {
    return Boolean.TRUE.equals(usePrecompiled);
  }

  /// Whether NVIDIADriver resources describe the driver in this section's place.
  public boolean isLeftToNvidiaDrivers() {
    return Boolean.TRUE.equals(useNvidiaDriverCRD);
  }

  /// Which kernel modules to load: `auto`, `open` or `proprietary`.
  public String kernelModuleTypeOrDefault() {
    return Objects.requireNonNullElse(kernelModuleType, "auto");
  }
}
