package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;

import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Monitoring;
import dev.pitcrew.operator.render.Probes;
import dev.pitcrew.operator.render.ServiceMonitorSettings;
import dev.pitcrew.operator.render.Volumes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import java.util.List;

/// What the section of the metrics exporter says, whether the exporter gets its GPUs from the
/// container toolkit or by a claim.
public final class ExporterSettings {
  static final String POD_LABELS = "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS";
  static final String POD_UID = "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID";
  static final int PORT = 9400;

  private ExporterSettings() {}

  /// The exporter's container without settings of the user.
  public static ContainerDraft container(String name) {
    return new ContainerDraft(name)
        .env("DCGM_EXPORTER_LISTEN", ":" + PORT)
        .env("DCGM_EXPORTER_KUBERNETES", "true")
        .env("DCGM_EXPORTER_COLLECTORS", "/etc/dcgm-exporter/dcp-metrics-included.csv")
        .envFromField("NODE_NAME", "spec.nodeName")
        .port("metrics", PORT)
        .privileged()
        .livenessProbe(Probes.http(PORT, "/health", 45).withPeriodSeconds(5).build())
        .readinessProbe(Probes.http(PORT, "/health", 45).build())
        .mountReadOnly("pod-gpu-resources", "/var/lib/kubelet/pod-resources");
  }

  public static Service service(String name, DcgmExporterSpec section, String namespace) {
    var given = section.service();
    return Monitoring.service(name, namespace, "gpu-metrics", PORT)
        .editMetadata()
        .addToAnnotations("prometheus.io/scrape", "true")
        .endMetadata()
        .editSpec()
        .withType(given.type())
        .withInternalTrafficPolicy(given.internalTrafficPolicy())
        .endSpec()
        .build();
  }

  /// Through which the Prometheus operator finds the exporter, where it is installed.
  public static List<HasMetadata> monitor(
      Service service, DcgmExporterSpec section, ClusterFacts facts) {
    return section.serviceMonitor().isEnabled() && facts.serves("ServiceMonitor")
        ? List.of(ServiceMonitorSettings.monitor(service, "app", section.serviceMonitor()))
        : List.of();
  }

  public static void jobMapping(DaemonSetDraft draft, DcgmExporterSpec section) {
    if (section.hpcJobMapping().isEnabled()) {
      String directory = section.hpcJobMapping().directoryOrDefault();
      draft.hostPath("hpc-job-mapping", directory, DIRECTORY_OR_CREATE);
      draft
          .main()
          .env("DCGM_HPC_JOB_MAPPING_DIR", directory)
          .mountReadOnly("hpc-job-mapping", directory);
    }
  }

  public static void podMetadata(ContainerDraft exporter, DcgmExporterSpec section) {
    if (section.isPodLabelsEnabled()) {
      exporter.env(POD_LABELS, "true");
    }
    if (section.isPodUidEnabled()) {
      exporter.env(POD_UID, "true");
    }
    if (!section.podLabelAllowlistRegex().isEmpty()) {
      exporter.env(
          "DCGM_EXPORTER_KUBERNETES_POD_LABEL_ALLOWLIST_REGEX",
          String.join(",", section.podLabelAllowlistRegex()));
    }
  }

  /// The list of metrics in a ConfigMap of the user, if the section names one.
  public static void metricsList(DaemonSetDraft draft, DcgmExporterSpec section) {
    section.config().reference().ifPresent(name -> metricsList(draft, name));
  }

  private static void metricsList(DaemonSetDraft draft, String configMap) {
    String key = "dcgm-metrics.csv";
    String file = "/etc/dcgm-exporter/" + key;
    draft.volume(Volumes.configMap("metrics-config", configMap, List.of(Volumes.file(key))));
    draft.main().env("DCGM_EXPORTER_COLLECTORS", file).mountFile("metrics-config", file, key);
  }
}
