package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.operator.operand.Dcgm;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Monitoring;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.Probes;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.SectionCheck;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The stand-alone DCGM host engine, which sees all GPUs of its node by a claim.
final class DraDcgm implements DraOperand {
  static final String NAME = "nvidia-dcgm-dra";
  static final String CLAIM = "admin-gpus";
  private static final String TEMPLATE = "nvidia-dcgm-admin";
  private static final Identity IDENTITY = Identity.withoutRights(NAME, Map.of());

  @Override
  public String state() {
    return "state-dcgm";
  }

  @Override
  public boolean isEnabled(GpuClusterSpec spec) {
    return spec.dcgm().isEnabled();
  }

  @Override
  public Optional<Problem> problem(DraContext context) {
    return SectionCheck.problem(context.dcgmImage(), context.images());
  }

  @Override
  public List<HasMetadata> resources(DraContext context) {
    String namespace = context.namespace();
    var objects = new ArrayList<HasMetadata>(List.of(IDENTITY.account(namespace)));
    objects.addAll(
        IDENTITY.withinNamespace(NAME, Map.of(), List.of(DraObjects.READ_CLAIMS), namespace));
    objects.add(DraObjects.adminClaimTemplate(TEMPLATE, CLAIM, 0, context.facts()));
    objects.add(
        Monitoring.service(NAME, namespace, "dcgm", Dcgm.PORT)
            .editSpec()
            .withType("ClusterIP")
            .withInternalTrafficPolicy("Local")
            .endSpec()
            .build());
    if (context.facts().isOpenShift()) {
      objects.add(
          OpenShiftConstraint.named(NAME).withHostNetwork().withHostPorts().object(namespace));
    }
    return objects;
  }

  @Override
  public List<HasMetadata> workloads(DraContext context) {
    var section = context.spec().dcgm();
    DaemonSetDraft draft =
        DaemonSetDraft.ofApp(NAME, "dcgm-dra")
            .priorityClass(DraContext.CRITICAL)
            .resourceClaim(CLAIM, TEMPLATE)
            .container(
                new ContainerDraft("nvidia-dcgm-ctr")
                    .port("dcgm", Dcgm.PORT)
                    .privileged()
                    .livenessProbe(Probes.tcp(Dcgm.PORT, 15))
                    .readinessProbe(Probes.tcp(Dcgm.PORT, 15))
                    .claim(CLAIM));
    OperandSettings.apply(draft, section, context.images().path(context.dcgmImage()));
    OperandSettings.env(draft.main(), section.env());
    return List.of(context.finish(draft));
  }
}
