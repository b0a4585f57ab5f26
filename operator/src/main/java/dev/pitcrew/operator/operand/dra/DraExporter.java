package dev.pitcrew.operator.operand.dra;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.operator.operand.Dcgm;
import dev.pitcrew.operator.operand.ExporterSettings;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.SectionCheck;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Exports the metrics of all GPUs of its node, which it sees by a claim, to Prometheus.
final class DraExporter implements DraOperand {
  private static final String NAME = "nvidia-dcgm-exporter-dra";
  private static final String READ_PODS = "nvidia-dcgm-exporter-dra-read-pods";
  private static final String TEMPLATE = "nvidia-dcgm-exporter-admin";
  private static final Identity IDENTITY = Identity.withoutRights(NAME, Map.of());

  @Override
  public String state() {
    return "state-dcgm-exporter";
  }

  @Override
  public boolean isEnabled(GpuClusterSpec spec) {
    return spec.dcgmExporter().isEnabled();
  }

  @Override
  public Optional<Problem> problem(DraContext context) {
    return SectionCheck.problem(context.exporterImage(), context.images())
        .or(() ->
            References.configMapProblem(
                "spec.dcgmExporter.config.name",
                context.spec().dcgmExporter().config().reference(),
                context.facts()));
  }

  @Override
  public List<HasMetadata> resources(DraContext context) {
    String namespace = context.namespace();
    var section = context.spec().dcgmExporter();
    var objects = new ArrayList<HasMetadata>(List.of(IDENTITY.account(namespace)));
    objects.addAll(
        IDENTITY.withinNamespace(
            NAME,
            Map.of(),
            List.of(DraObjects.READ_CLAIMS, rule("", "configmaps", "get", "list")),
            namespace));
    objects.addAll(
        IDENTITY.clusterWide(
            READ_PODS,
            Map.of("app", NAME),
            List.of(
                rule("", "pods", "get", "list", "watch"),
                rule("resource.k8s.io", "resourceslices", "get", "list", "watch")),
            namespace));
    objects.add(DraObjects.adminClaimTemplate(TEMPLATE, DraDcgm.CLAIM, 0, context.facts()));
    Service service = ExporterSettings.service(NAME, section, namespace);
    objects.add(service);
    objects.addAll(ExporterSettings.monitor(service, section, context.facts()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).withHostPorts().object(namespace));
    }
    return objects;
  }

  @Override
  public List<HasMetadata> workloads(DraContext context) {
    var section = context.spec().dcgmExporter();
    DaemonSetDraft draft =
        DaemonSetDraft.ofApp(NAME, "dcgm-exporter-dra")
            .priorityClass(DraContext.CRITICAL)
            .automountToken(true)
            .resourceClaim(DraDcgm.CLAIM, TEMPLATE)
            .container(ExporterSettings.container(NAME).claim(DraDcgm.CLAIM))
            .hostPath("pod-gpu-resources", context.kubeletDirectory() + "/pod-resources", ANY);
    OperandSettings.apply(draft, section, context.images().path(context.exporterImage()));
    section.annotations().forEach(draft::podAnnotation);
    if (section.isHostPid()) {
      draft.hostPid();
    }
    if (context.spec().dcgm().isEnabled()) {
      draft.main().env("DCGM_REMOTE_HOSTENGINE_INFO", DraDcgm.NAME + ":" + Dcgm.PORT);
    }
    ExporterSettings.jobMapping(draft, section);
    draft.main().env("KUBERNETES_ENABLE_DRA", "true");
    ExporterSettings.podMetadata(draft.main(), section);
    ExporterSettings.metricsList(draft, section);
    OperandSettings.env(draft.main(), section.env());
    return List.of(context.finish(draft));
  }
}
