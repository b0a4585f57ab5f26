package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.READ_NODES;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.MigStrategy;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Validates driver, toolkit, CUDA and device plugin on every GPU node, one init container each.
final class OperatorValidator implements Operand {
  private static final String NAME = "nvidia-operator-validator";
  private static final Map<String, String> SELECTOR =
      Map.of("app", NAME, "app.kubernetes.io/part-of", "gpu-operator");
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .may(
              rule("", "pods", "create", "get", "list", "watch", "update", "patch", "delete"),
              rule("apps", "daemonsets", "get", "list", "watch"))
          .mayInCluster(
              READ_NODES,
              new PolicyRuleBuilder()
                  .withApiGroups("nvidia.com")
                  .withResources("clusterpolicies/finalizers", "nvidiadrivers/finalizers")
                  .withVerbs("create", "get", "list", "watch", "update", "patch", "delete")
                  .build());

  @Override
  public String state() {
    return "state-operator-validation";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return true;
  }

  @Override
  public List<Check> checks() {
    return List.of(SectionCheck.of(ValidationContainers::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).withHostPid().object(context.namespace()));
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
    RuntimeModes.seeGpus(draft, "toolkit-validation", context);
    ValidationContainers.apply(draft, context);
    workload(draft.find("cuda-validation"), draft, context);
    OperandSettings.env(draft.find("cuda-validation"), section.cuda().env());
    plugin(draft, context);
    return List.of(CommonSettings.finish(draft, context));
  }

  private static void plugin(DaemonSetDraft draft, RenderContext context) {
    if (!context.spec().devicePlugin().isEnabled()) {
      draft.remove("plugin-validation");
      return;
    }
    ContainerDraft container = draft.find("plugin-validation");
    workload(container, draft, context);
    container.env("MIG_STRATEGY", MigStrategy.of(context));
    OperandSettings.env(container, context.spec().validator().plugin().env());
  }

  /// Both of these start a pod of their own and must know how.
  private static void workload(
      ContainerDraft container, DaemonSetDraft draft, RenderContext context) {
    var section = context.spec().validator();
    container
        .env("VALIDATOR_IMAGE", context.images().path(ValidationContainers.image(context)))
        .env(
            "VALIDATOR_IMAGE_PULL_POLICY",
            Objects.requireNonNullElse(section.imagePullPolicy(), ""));
    if (!section.imagePullSecrets().isEmpty()) {
      container.env("VALIDATOR_IMAGE_PULL_SECRETS", String.join(",", section.imagePullSecrets()));
    }
    draft.runtimeClass().ifPresent(name -> container.env("VALIDATOR_RUNTIME_CLASS", name));
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.of(NAME, SELECTOR, "operator-validator")
        .label("app", NAME)
        .label("app.kubernetes.io/part-of", "gpu-operator")
        .init(
            ValidationContainers.validator("driver-validation", "driver", true)
                .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
                .sharedSelinuxLevel()
                .mountHostRoot()
                .mount("driver-install-dir", "/run/nvidia/driver", HOST_TO_CONTAINER)
                .mount("run-nvidia-validations", "/run/nvidia/validations", BIDIRECTIONAL)
                .mount("host-dev-char", "/host-dev-char"))
        .init(validator("toolkit").envFirst("NVIDIA_VISIBLE_DEVICES", "all"))
        .init(
            validator("cuda")
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("OPERATOR_NAMESPACE", "metadata.namespace"))
        .init(
            validator("plugin")
                .envFirst("COMPONENT", "plugin")
                .env("WITH_WORKLOAD", "false")
                .env("MIG_STRATEGY", "")
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("OPERATOR_NAMESPACE", "metadata.namespace"))
        .container(
            new ContainerDraft(NAME)
                .command("sh", "-c")
                .args("echo all validations are successful; while true; do sleep 86400; done")
                .privileged()
                .preStop("sh", "-c", "rm -f /run/nvidia/validations/*-ready")
                .mount("run-nvidia-validations", "/run/nvidia/validations", BIDIRECTIONAL))
        .hostPath("run-nvidia-validations", "/run/nvidia/validations", DIRECTORY_OR_CREATE)
        .hostPath("driver-install-dir", "/run/nvidia/driver", ANY)
        .hostPath("host-root", "/", ANY)
        .hostPath("host-dev-char", "/dev/char", ANY);
  }

  private static ContainerDraft validator(String component) {
    return ValidationContainers.validator(component + "-validation", component, false)
        .mount("run-nvidia-validations", "/run/nvidia/validations", BIDIRECTIONAL);
  }
}
