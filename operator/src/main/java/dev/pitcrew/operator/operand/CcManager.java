package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Sets the confidential-computing mode of a node's GPUs.
final class CcManager implements Operand {
  private static final String NAME = "nvidia-cc-manager";
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .may(rule("", "pods", "get", "list", "watch"))
          .mayInCluster(rule("", "nodes", "get", "list", "patch", "watch"));

  @Override
  public String state() {
    return "state-cc-manager";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled()
        && spec.ccManager().isEnabled()
        && spec.sandboxWorkloads().modeOrDefault().equals("kata");
  }

  @Override
  public List<Check> checks() {
    return List.of(SectionCheck.of(CcManager::image));
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
    var section = context.spec().ccManager();
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    String mode = Objects.requireNonNullElse(section.defaultMode(), "");
    if (!mode.isEmpty()) {
      draft.main().env("DEFAULT_CC_MODE", mode);
    }
    OperandSettings.env(draft.main(), section.env());
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.ccManager", context.spec().ccManager(), "CC_MANAGER_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.of(NAME, Map.of("name", NAME), "cc-manager")
        .label("app", NAME)
        .terminationGraceSeconds(30)
        .container(
            new ContainerDraft(NAME)
                .pullPolicy("IfNotPresent")
                .envFromField("NODE_NAME", "spec.nodeName")
                .env("NVIDIA_VISIBLE_DEVICES", "void")
                .privileged()
                .sharedSelinuxLevel()
                .resources(SandboxResources.SMALL)
                .preStop("/bin/rm", "-f", "/run/nvidia/validations/.cc-manager-ctr-ready")
                .mount("host-sys", "/sys")
                .mount("run-nvidia", "/run/nvidia"))
        .hostPath("host-sys", "/sys", DIRECTORY)
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY_OR_CREATE);
  }
}
