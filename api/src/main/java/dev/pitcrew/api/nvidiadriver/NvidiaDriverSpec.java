package dev.pitcrew.api.nvidiadriver;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.DriverAddonSpec;
import dev.pitcrew.api.DriverManagerSpec;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.NamedConfig;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.ProbeSpec;
import dev.pitcrew.api.RdmaSpec;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Toleration;
import dev.pitcrew.api.Unknown;
import dev.pitcrew.api.UpgradePolicySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the nodes of one pool run as their driver. `livenessProbe`, `readinessProbe`,
/// `nodeAffinity` and `useOpenKernelModules` are accepted and ignored.
public record NvidiaDriverSpec(
    @Nullable String driverType,
    @JsonProperty("default") @Nullable Boolean usedByDefault,
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    Resources resources,
    List<String> args,
    List<EnvVar> env,
    @Nullable Boolean hostNetwork,
    @Nullable String secretEnv,
    @Nullable Boolean usePrecompiled,
    @Nullable Boolean useOpenKernelModules,
    @Nullable String kernelModuleType,
    ProbeSpec startupProbe,
    ProbeSpec livenessProbe,
    ProbeSpec readinessProbe,
    RdmaSpec rdma,
    DriverAddonSpec gds,
    DriverAddonSpec gdrcopy,
    DriverManagerSpec manager,
    UpgradePolicySpec upgradePolicy,
    NamedConfig repoConfig,
    NamedConfig certConfig,
    DriverLicensingSpec licensingConfig,
    NamedConfig virtualTopologyConfig,
    NamedConfig kernelModuleConfig,
    Map<String, String> nodeSelector,
    Map<String, JsonNode> nodeAffinity,
    List<Toleration> tolerations,
    Map<String, String> labels,
    Map<String, String> annotations,
    @Nullable String priorityClassName,
    Map<String, JsonNode> podSecurityContext,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where the resource has none.
  public static final NvidiaDriverSpec ABSENT = Absent.of(NvidiaDriverSpec.class);

  public NvidiaDriverSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    startupProbe = Objects.requireNonNullElse(startupProbe, ProbeSpec.ABSENT);
    livenessProbe = Objects.requireNonNullElse(livenessProbe, ProbeSpec.ABSENT);
    readinessProbe = Objects.requireNonNullElse(readinessProbe, ProbeSpec.ABSENT);
    rdma = Objects.requireNonNullElse(rdma, RdmaSpec.ABSENT);
    gds = Objects.requireNonNullElse(gds, DriverAddonSpec.ABSENT);
    gdrcopy = Objects.requireNonNullElse(gdrcopy, DriverAddonSpec.ABSENT);
    manager = Objects.requireNonNullElse(manager, DriverManagerSpec.ABSENT);
    upgradePolicy = Objects.requireNonNullElse(upgradePolicy, UpgradePolicySpec.AUTOMATIC);
    repoConfig = Objects.requireNonNullElse(repoConfig, NamedConfig.ABSENT);
    certConfig = Objects.requireNonNullElse(certConfig, NamedConfig.ABSENT);
    licensingConfig = Objects.requireNonNullElse(licensingConfig, DriverLicensingSpec.ABSENT);
    virtualTopologyConfig = Objects.requireNonNullElse(virtualTopologyConfig, NamedConfig.ABSENT);
    kernelModuleConfig = Objects.requireNonNullElse(kernelModuleConfig, NamedConfig.ABSENT);
    nodeSelector = Absent.orMap(nodeSelector);
    nodeAffinity = Absent.orMap(nodeAffinity);
    tolerations = Absent.orList(tolerations);
    labels = Absent.orMap(labels);
    annotations = Absent.orMap(annotations);
    podSecurityContext = Absent.orMap(podSecurityContext);
    unknown = Absent.orUnknown(unknown);
  }

  @Override
  public @Nullable Boolean enabled() {
    return null;
  }

  /// An NVIDIADriver that exists is wanted.
  @Override
  public boolean isEnabled() {
    return true;
  }

  /// Whether it serves the nodes that no other NVIDIADriver selects.
  public boolean isDefault() {
    return Boolean.TRUE.equals(usedByDefault);
  }

  /// Whether driver images with ready kernel modules are used.
  public boolean isPrecompiled() {
    return Boolean.TRUE.equals(usePrecompiled);
  }

  /// What the driver is for: `gpu`, `vgpu` or `vgpu-host-manager`.
  public String driverTypeOrDefault() {
    return Objects.requireNonNullElse(driverType, "gpu");
  }

  /// Which kernel modules to load: `auto`, `open` or `proprietary`.
  public String kernelModuleTypeOrDefault() {
    return Objects.requireNonNullElse(kernelModuleType, "auto");
  }

  /// The nodes of the pool; without a selector all nodes with a GPU.
  public Map<String, String> nodeSelectorOrDefault() {
    return nodeSelector.isEmpty() ? Map.of("nvidia.com/gpu.present", "true") : nodeSelector;
  }
}
