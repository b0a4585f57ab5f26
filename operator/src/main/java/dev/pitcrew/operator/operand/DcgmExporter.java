package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Monitoring;
import dev.pitcrew.operator.render.Monitoring.Rule;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Exports GPU metrics to Prometheus.
final class DcgmExporter implements Operand {
  private static final String NAME = "nvidia-dcgm-exporter";
  private static final String READ_PODS = "nvidia-dcgm-exporter-read-pods";
  private static final Map<String, String> LABELS = Map.of("app", NAME);
  private static final Identity IDENTITY =
      Identity.named(NAME).labelled(LABELS).may(rule("", "configmaps", "get", "list"));

  @Override
  public String state() {
    return "state-dcgm-exporter";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.dcgmExporter().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(DcgmExporter::image),
        SectionCheck.of(ValidationContainers::image),
        References.configMap(
            "spec.dcgmExporter.config.name", spec -> spec.dcgmExporter().config().reference()));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    String namespace = context.namespace();
    var section = context.spec().dcgmExporter();
    var objects = new ArrayList<>(IDENTITY.objects(namespace));
    Service service = ExporterSettings.service(NAME, section, namespace);
    objects.add(service);
    if (readsPods(section)) {
      objects.addAll(
          IDENTITY.clusterWide(
              READ_PODS, LABELS, List.of(rule("", "pods", "get", "list", "watch")), namespace));
    }
    objects.addAll(ExporterSettings.monitor(service, section, context.facts()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).withHostPorts().object(namespace));
      if (context.facts().serves("PrometheusRule")) {
        objects.add(Monitoring.rules(NAME, NAME, namespace, recordings()));
      }
    }
    return objects;
  }

  /// The same for Prometheus, but the pods are the agent's.
  @Override
  public List<HasMetadata> ofAgent(RenderContext context) {
    var section = context.spec().dcgmExporter();
    Service service = Agent.serve(ExporterSettings.service(NAME, section, context.namespace()));
    var objects = new ArrayList<HasMetadata>(List.of(service));
    objects.addAll(ExporterSettings.monitor(service, section, context.facts()));
    if (isOn(section.isPodLabelsEnabled(), ExporterSettings.POD_LABELS, section)) {
      objects.addAll(Agent.readPods(READ_PODS, LABELS, context.namespace()));
    }
    if (context.facts().isOpenShift() && context.facts().serves("PrometheusRule")) {
      objects.add(Monitoring.rules(NAME, NAME, context.namespace(), recordings()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().dcgmExporter();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    section.annotations().forEach(draft::podAnnotation);
    if (context.spec().dcgm().isEnabled()) {
      draft.main().env("DCGM_REMOTE_HOSTENGINE_INFO", Dcgm.NAME + ":" + Dcgm.PORT);
    }
    RuntimeModes.seeGpus(draft, NAME, context);
    if (section.isHostPid()) {
      draft.hostPid();
    }
    ExporterSettings.jobMapping(draft, section);
    ExporterSettings.podMetadata(draft.main(), section);
    ExporterSettings.metricsList(draft, section);
    OperandSettings.env(draft.main(), section.env());
    draft.automountToken(needsToken(draft.main(), section));
    return List.of(CommonSettings.finish(draft, context));
  }

  /// Whether the exporter looks at pods of the whole cluster, by its section or by its environment.
  /// An agent does for labels only: UIDs stand in a file of the kubelet.
  private static boolean readsPods(DcgmExporterSpec section) {
    return isOn(section.isPodLabelsEnabled(), ExporterSettings.POD_LABELS, section)
        || isOn(section.isPodUidEnabled(), ExporterSettings.POD_UID, section);
  }

  private static boolean isOn(boolean bySection, String variable, DcgmExporterSpec section) {
    return bySection
        || section.env().stream()
            .anyMatch(entry ->
                entry.name().equals(variable) && entry.valueOrDefault().equalsIgnoreCase("true"));
  }

  private static boolean needsToken(ContainerDraft exporter, DcgmExporterSpec section) {
    String metricsFrom = exporter.envValue("DCGM_EXPORTER_CONFIGMAP_DATA", "");
    return readsPods(section) || !Set.of("", "none").contains(metricsFrom);
  }

  private static List<Rule> recordings() {
    return List.of(
        Rule.recording("accelerator_gpu_utilization", "DCGM_FI_DEV_GPU_UTIL"),
        Rule.recording("accelerator_memory_used_bytes", "DCGM_FI_DEV_MEM_COPY_UTIL"),
        Rule.recording("accelerator_memory_total_bytes", "DCGM_FI_DEV_FB_TOTAL"),
        Rule.recording("accelerator_power_usage_watts", "DCGM_FI_DEV_POWER_USAGE"),
        Rule.recording("accelerator_temperature_celsius", "DCGM_FI_DEV_GPU_TEMP"),
        Rule.recording("accelerator_sm_clock_hertz", "DCGM_FI_DEV_SM_CLOCK"),
        Rule.recording("accelerator_memory_clock_hertz", "DCGM_FI_DEV_MEM_CLOCK"));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.dcgmExporter", context.spec().dcgmExporter(), "DCGM_EXPORTER_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "dcgm-exporter")
        .openShiftConstraint(NAME)
        .init(ValidationContainers.waitForToolkit("run-nvidia", "/run/nvidia"))
        .container(ExporterSettings.container(NAME))
        .hostPath("pod-gpu-resources", "/var/lib/kubelet/pod-resources", ANY)
        .hostPath("run-nvidia", "/run/nvidia", ANY);
  }
}
