package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The metrics exporter. Where the section is there, the exporter is on unless disabled; where a
/// whole GPUCluster lacks it, it is off ([#DISABLED]).
public record DcgmExporterSpec(
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
    NamedConfig config,
    ServiceMonitorSpec serviceMonitor,
    ExporterServiceSpec service,
    Map<String, String> annotations,
    HpcJobMappingSpec hpcJobMapping,
    @Nullable Boolean hostPID,
    @Nullable Boolean enablePodLabels,
    @Nullable Boolean enablePodUID,
    List<String> podLabelAllowlistRegex,
    @Unknown Map<String, JsonNode> unknown)
    implements OperandSpec {

  /// The section where a ClusterPolicy has none: on.
  public static final DcgmExporterSpec ABSENT = Absent.of(DcgmExporterSpec.class);

  /// The section where a GPUCluster has none: off.
  public static final DcgmExporterSpec DISABLED =
      Absent.of(DcgmExporterSpec.class, Map.of("enabled", false));

  public DcgmExporterSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    args = Absent.orList(args);
    env = Absent.orList(env);
    config = Objects.requireNonNullElse(config, NamedConfig.ABSENT);
    serviceMonitor = Objects.requireNonNullElse(serviceMonitor, ServiceMonitorSpec.ABSENT);
    service = Objects.requireNonNullElse(service, ExporterServiceSpec.ABSENT);
    annotations = Absent.orMap(annotations);
    hpcJobMapping = Objects.requireNonNullElse(hpcJobMapping, HpcJobMappingSpec.ABSENT);
    podLabelAllowlistRegex = Absent.orList(podLabelAllowlistRegex);
    unknown = Absent.orUnknown(unknown);
  }

  @Override
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }

  /// Whether the exporter's pod shares the host's process ids.
  public boolean isHostPid() {
    return Boolean.TRUE.equals(hostPID);
  }

  /// Whether pod labels are put on the metrics.
  public boolean isPodLabelsEnabled() {
    return Boolean.TRUE.equals(enablePodLabels);
  }

  /// Whether the pod's UID is put on the metrics.
  public boolean isPodUidEnabled() {
    return Boolean.TRUE.equals(enablePodUID);
  }
}
