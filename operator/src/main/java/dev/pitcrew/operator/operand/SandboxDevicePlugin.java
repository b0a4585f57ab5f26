package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.READ_CLUSTER_VERSION;
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
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import java.util.ArrayList;
import java.util.List;

/// Advertises passed-through GPUs and vGPUs to KubeVirt.
final class SandboxDevicePlugin implements Operand {
  static final String VALIDATIONS = "/run/nvidia/validations";
  private static final String NAME = "nvidia-sandbox-device-plugin-daemonset";
  private static final String ACCOUNT = "nvidia-sandbox-device-plugin";
  private static final Identity IDENTITY = identity(ACCOUNT);

  @Override
  public String state() {
    return "state-sandbox-device-plugin";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled()
        && spec.sandboxDevicePlugin().isEnabled()
        && spec.sandboxWorkloads().modeOrDefault().equals("kubevirt");
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(SandboxDevicePlugin::image), SectionCheck.of(ValidationContainers::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    return identityAndConstraint(IDENTITY, context);
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().sandboxDevicePlugin();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    OperandSettings.env(draft.main(), section.env());
    return List.of(CommonSettings.finish(draft, context));
  }

  /// What a plugin for virtual machines or Kata containers may do.
  static Identity identity(String account) {
    return Identity.named(account)
        .may(
            rule("", "pods", "create", "get", "list", "watch", "delete"),
            rule("nfd.k8s-sigs.io", "nodefeatures", "create", "get", "list", "watch", "update"))
        .mayInCluster(
            READ_CLUSTER_VERSION,
            new PolicyRuleBuilder()
                .withApiGroups("")
                .withResources("nodes", "pods")
                .withVerbs("get")
                .build());
  }

  static List<HasMetadata> identityAndConstraint(Identity identity, RenderContext context) {
    var objects = new ArrayList<>(identity.objects(context.namespace()));
    if (context.facts().isOpenShift()) {
      objects.add(
          OpenShiftConstraint.named(identity.name())
              .withoutCapabilities()
              .object(context.namespace()));
    }
    return objects;
  }

  /// Waits for a validation, but only on nodes of the workload that needs it.
  static ContainerDraft waitForWorkload(String validation, String workload) {
    return ValidationContainers.waitFor(
            validation + "-validation",
            """
            until [ -f %1$s/workload-type ]; do
              echo waiting for the workload type of this node
              sleep 5
            done
            [ "$(cat %1$s/workload-type)" = "%2$s" ] || exit 0
            until [ -f %1$s/%3$s-ready ]; do
              echo waiting for %3$s of this node to be validated
              sleep 5
            done
            """
                .formatted(VALIDATIONS, workload, validation))
        .env("NVIDIA_VISIBLE_DEVICES", "void")
        .mount("run-nvidia-validations", VALIDATIONS, HOST_TO_CONTAINER);
  }

  private static Source image(RenderContext context) {
    return new Source(
        "spec.sandboxDevicePlugin",
        context.spec().sandboxDevicePlugin(),
        "SANDBOX_DEVICE_PLUGIN_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "sandbox-device-plugin")
        .openShiftConstraint(ACCOUNT)
        .serviceAccount(ACCOUNT)
        .init(waitForWorkload("vfio-pci", "vm-passthrough"))
        .init(waitForWorkload("vgpu-devices", "vm-vgpu"))
        .container(
            new ContainerDraft("nvidia-sandbox-device-plugin-ctr")
                .pullPolicy("IfNotPresent")
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("POD_NAMESPACE", "metadata.namespace")
                .privileged()
                .mount("device-plugin", "/var/lib/kubelet/device-plugins")
                .mount("vfio", "/dev/vfio")
                .mount("cdi-root", "/var/run/cdi"))
        .hostPath("device-plugin", "/var/lib/kubelet/device-plugins", ANY)
        .hostPath("run-nvidia-validations", VALIDATIONS, DIRECTORY_OR_CREATE)
        .hostPath("vfio", "/dev/vfio", ANY)
        .hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE);
  }
}
