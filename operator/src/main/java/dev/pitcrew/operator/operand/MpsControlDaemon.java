package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.READ_NODES;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.MigStrategy;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.PluginConfiguration;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;

/// Runs the MPS control daemons on nodes whose configuration shares GPUs through MPS.
final class MpsControlDaemon implements Operand {
  static final String STATE = "state-mps-control-daemon";
  static final String NAME = "nvidia-device-plugin-mps-control-daemon";
  static final String CONTAINER = "mps-control-daemon-ctr";
  private static final Identity IDENTITY = Identity.named(NAME).mayInCluster(READ_NODES);

  @Override
  public String state() {
    return STATE;
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.devicePlugin().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(MpsControlDaemon::image),
        SectionCheck.of(ValidationContainers::image),
        PluginConfiguration::problem);
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    return IDENTITY.objects(context.namespace());
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().devicePlugin();
    String path = context.images().path(image(context));
    ValidationContainers.apply(draft, context);
    OperandSettings.image(draft, draft.find("mps-control-daemon-mounts"), section, path);
    OperandSettings.resources(draft.find("mps-control-daemon-mounts"), section);
    OperandSettings.image(draft, draft.main(), section, path);
    OperandSettings.resources(draft, section);
    draft.hostNetwork(Boolean.TRUE.equals(section.hostNetwork()));
    PluginConfiguration.apply(draft, section, context);
    RuntimeModes.seeGpus(draft, CONTAINER, context);
    MigStrategy.apply(draft.main(), context);
    DevicePlugin.mpsRoot(draft, context);
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.devicePlugin", context.spec().devicePlugin(), "DEVICE_PLUGIN_IMAGE");
  }

  private static DaemonSetDraft shape() {
    var draft =
        DaemonSetDraft.ofApp(NAME, "device-plugin")
            .openShiftConstraint("hostmount-anyuid")
            .onNodesWith("nvidia.com/mps.capable", "true")
            // A rename would restart every client of MPS on take-over, so the pods keep the
            // plugin's account.
            .serviceAccount("nvidia-device-plugin")
            .hostPid()
            .init(ValidationContainers.waitForToolkit("run-nvidia", "/run/nvidia"))
            .init(
                new ContainerDraft("mps-control-daemon-mounts")
                    .command("mps-control-daemon", "mount-shm")
                    .privileged()
                    .mount("mps-root", "/mps", BIDIRECTIONAL))
            .container(
                new ContainerDraft(CONTAINER)
                    .command("mps-control-daemon")
                    .envFromField("NODE_NAME", "spec.nodeName")
                    .env("NVIDIA_VISIBLE_DEVICES", "all")
                    .env("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")
                    .privileged()
                    .mount("mps-shm", "/dev/shm")
                    .mount("mps-root", "/mps"))
            .hostPath("run-nvidia", "/run/nvidia", DIRECTORY)
            .hostPath("mps-root", "/run/nvidia/mps", DIRECTORY_OR_CREATE)
            .hostPath("mps-shm", "/run/nvidia/mps/shm", ANY);
    PluginConfiguration.shape(draft, "/usr/bin/mps-control-daemon");
    return draft;
  }
}
