package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.DraDriverSpec;
import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategy;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategyBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Shows on each node that a pod gets a GPU by a claim: its first container lists it.
final class DraValidator implements DraOperand {
  private static final String NAME = "nvidia-dra-validator";
  private static final String CLAIM = "validation-gpu";
  private static final String TEMPLATE = "nvidia-dra-validator-gpu";
  private static final Map<String, String> LABELS =
      Map.of("app.kubernetes.io/name", NAME, "app.kubernetes.io/component", NAME);
  private static final Identity IDENTITY = Identity.withoutRights(NAME, LABELS);

  @Override
  public String state() {
    return "state-dra-validation";
  }

  @Override
  public boolean isEnabled(GpuClusterSpec spec) {
    return true;
  }

  @Override
  public Optional<Problem> problem(DraContext context) {
    return context.validatorProblem();
  }

  @Override
  public List<HasMetadata> resources(DraContext context) {
    var objects = new ArrayList<HasMetadata>(List.of(IDENTITY.account(context.namespace())));
    objects.add(DraObjects.adminClaimTemplate(TEMPLATE, CLAIM, 1, context.facts()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<HasMetadata> workloads(DraContext context) {
    // A GPUCluster has no settings of its own for this image.
    DraDriverSpec driver = context.spec().draDriver();
    DaemonSetDraft draft =
        DaemonSetDraft.of(NAME, Map.of("app.kubernetes.io/name", NAME), "dra-validator")
            .label("app", NAME)
            // Upgrades of the driver wait for the pods of this label.
            .podLabel("app", "nvidia-operator-validator")
            .priorityClass(DraContext.CRITICAL)
            .updateStrategy(allAtOnce())
            .affinity(
                DraObjects.onNodesWithAny(List.of(Map.entry("nvidia.com/gpu.present", "true"))))
            .resourceClaim(CLAIM, TEMPLATE)
            .init(
                new ContainerDraft("gpu-validation")
                    .image(context.validatorImage())
                    .pullPolicy(driver.imagePullPolicy())
                    .command("sh", "-c", "nvidia-smi -L")
                    .claim(CLAIM))
            .container(
                new ContainerDraft(NAME)
                    .image(context.validatorImage())
                    .pullPolicy(driver.imagePullPolicy())
                    .command(
                        "sh",
                        "-c",
                        "echo all validations are successful; while true; do sleep 86400; done"));
    LABELS.forEach(draft::labelBoth);
    draft.pullSecrets(driver.imagePullSecrets());
    return List.of(context.finish(draft));
  }

  /// What these pods do ends with each start of the driver, so none needs to wait for another.
  static DaemonSetUpdateStrategy allAtOnce() {
    return new DaemonSetUpdateStrategyBuilder()
        .withType("RollingUpdate")
        .withNewRollingUpdate()
        .withMaxUnavailable(new IntOrString("100%"))
        .endRollingUpdate()
        .build();
  }
}
