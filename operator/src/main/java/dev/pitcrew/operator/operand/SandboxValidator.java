package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Validates nodes that run virtual machines or Kata containers, one init container for each thing
/// they may need.
final class SandboxValidator implements Operand {
  private static final String NAME = "nvidia-sandbox-validator";
  private static final String VALIDATIONS = "/run/nvidia/validations";
  private static final Map<String, String> SELECTOR =
      Map.of("app", NAME, "app.kubernetes.io/part-of", "gpu-operator");
  private static final Identity IDENTITY =
      Identity.named(NAME).mayInCluster(rule("", "nodes", "get"));

  @Override
  public String state() {
    return "state-sandbox-validation";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(SectionCheck.of(ValidationContainers::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().validator();
    OperandSettings.apply(
        draft, section, context.images().path(ValidationContainers.image(context)));
    draft.main().runAsRoot();
    OperandSettings.env(draft.main(), section.env());
    ValidationContainers.apply(draft, context);
    if (!context.spec().ccManager().isEnabled()) {
      draft.remove("cc-manager-validation");
    }
    String workload = context.spec().sandboxWorkloads().defaultWorkloadOrDefault();
    for (String part : List.of("vfio-pci", "vgpu-manager", "vgpu-devices")) {
      draft.find(part + "-validation").env("DEFAULT_GPU_WORKLOAD_CONFIG", workload);
    }
    OperandSettings.env(draft.find("vfio-pci-validation"), section.vfioPCI().env());
    OperandSettings.env(draft.find("vgpu-manager-validation"), section.vgpuManager().env());
    OperandSettings.env(draft.find("vgpu-devices-validation"), section.vgpuDevices().env());
    return List.of(CommonSettings.finish(draft, context));
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.of(NAME, SELECTOR, "sandbox-validator")
        .label("app", NAME)
        .label("app.kubernetes.io/part-of", "gpu-operator")
        .init(mountValidations(validator("cc-manager").sharedSelinuxLevel()))
        .init(mountValidations(validator("vfio-pci").sharedSelinuxLevel().mountHostRoot()))
        .init(
            mountValidations(
                validator("vgpu-manager")
                    .sharedSelinuxLevel()
                    .mountHostRoot()
                    .mount("driver-install-path", "/run/nvidia/driver", HOST_TO_CONTAINER)))
        .init(mountValidations(validator("vgpu-devices")))
        .container(
            mountValidations(
                new ContainerDraft(NAME)
                    .command("sh", "-c")
                    .args("echo all validations are successful; while true; do sleep 86400; done")
                    .privileged()
                    .preStop("sh", "-c", "rm -f /run/nvidia/validations/*")))
        .hostPath("run-nvidia-validations", VALIDATIONS, DIRECTORY_OR_CREATE)
        .hostPath("driver-install-path", "/run/nvidia/driver", ANY)
        .hostPath("host-root", "/", ANY);
  }

  private static ContainerDraft validator(String component) {
    return ValidationContainers.validator(component + "-validation", component, true)
        .envFromField("NODE_NAME", "spec.nodeName");
  }

  private static ContainerDraft mountValidations(ContainerDraft container) {
    return container.mount("run-nvidia-validations", VALIDATIONS, BIDIRECTIONAL);
  }
}
