package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;

/// Advertises passed-through GPUs to Kata containers.
final class KataDevicePlugin implements Operand {
  private static final String NAME = "nvidia-kata-sandbox-device-plugin-daemonset";
  private static final String ACCOUNT = "nvidia-kata-sandbox-device-plugin";
  private static final Identity IDENTITY = SandboxDevicePlugin.identity(ACCOUNT);

  @Override
  public String state() {
    return "state-kata-device-plugin";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled()
        && spec.kataSandboxDevicePlugin().isEnabled()
        && spec.sandboxWorkloads().modeOrDefault().equals("kata");
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(KataDevicePlugin::image), SectionCheck.of(ValidationContainers::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    return SandboxDevicePlugin.identityAndConstraint(IDENTITY, context);
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().kataSandboxDevicePlugin();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    OperandSettings.env(draft.main(), section.env());
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source image(RenderContext context) {
    return new Source(
        "spec.kataSandboxDevicePlugin",
        context.spec().kataSandboxDevicePlugin(),
        "KATA_SANDBOX_DEVICE_PLUGIN_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "kata-sandbox-device-plugin")
        .openShiftConstraint(ACCOUNT)
        .serviceAccount(ACCOUNT)
        .init(SandboxDevicePlugin.waitForWorkload("vfio-pci", "vm-passthrough"))
        .container(
            new ContainerDraft("nvidia-kata-sandbox-device-plugin-ctr")
                .pullPolicy("IfNotPresent")
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("POD_NAMESPACE", "metadata.namespace")
                .envFromField("POD_SERVICE_ACCOUNT", "spec.serviceAccountName")
                .privileged()
                .mount("device-plugin", "/var/lib/kubelet/device-plugins")
                .mount("cdi-root", "/var/run/cdi"))
        .hostPath("device-plugin", "/var/lib/kubelet/device-plugins", ANY)
        .hostPath("run-nvidia-validations", SandboxDevicePlugin.VALIDATIONS, DIRECTORY_OR_CREATE)
        .hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE);
  }
}
