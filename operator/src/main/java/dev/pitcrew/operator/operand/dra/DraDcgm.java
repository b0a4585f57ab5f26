package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.operator.operand.Dcgm;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OperandSettings;
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
    objects.addAll(Dcgm.network(NAME, context.facts()));
    return objects;
  }

  @Override
  public List<HasMetadata> workloads(DraContext context) {
    var section = context.spec().dcgm();
    DaemonSetDraft draft =
        DaemonSetDraft.ofApp(NAME, "dcgm-dra")
            .priorityClass(DraContext.CRITICAL)
            .resourceClaim(CLAIM, TEMPLATE)
            .container(Dcgm.container().claim(CLAIM));
    OperandSettings.apply(draft, section, context.images().path(context.dcgmImage()));
    OperandSettings.env(draft.main(), section.env());
    return List.of(context.finish(draft));
  }
}
