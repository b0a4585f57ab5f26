package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
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
import dev.pitcrew.operator.render.PackagedFile;
import dev.pitcrew.operator.render.PluginConfiguration;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Advertises the GPUs of a node to its kubelet.
final class DevicePlugin implements Operand {
  private static final String NAME = "nvidia-device-plugin-daemonset";
  private static final String CONTAINER = "nvidia-device-plugin";
  private static final String SCRIPT = "nvidia-device-plugin-entrypoint";
  private static final String DEFAULT_MPS_ROOT = "/run/nvidia/mps";
  private static final Identity IDENTITY = Identity.named(CONTAINER).mayInCluster(READ_NODES);

  @Override
  public String state() {
    return "state-device-plugin";
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
        SectionCheck.of(DevicePlugin::image),
        SectionCheck.of(ValidationContainers::image),
        PluginConfiguration::problem);
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    objects.add(
        PackagedFile.configMap(
            SCRIPT,
            context.namespace(),
            Map.of("app", NAME),
            "entrypoint.sh",
            "device-plugin-entrypoint.sh"));
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().devicePlugin();
    var plugin = draft.main();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    features(plugin, context);
    PluginConfiguration.apply(draft, section, context);
    RuntimeModes.seeGpus(draft, CONTAINER, context);
    MigStrategy.apply(plugin, context);
    cdi(plugin, context);
    mpsRoot(draft, context);
    if (draft
        .hostPathOf("mps-root")
        .filter(at -> !at.getPath().equals(DEFAULT_MPS_ROOT))
        .isPresent()) {
      plugin.env("MPS_ROOT", section.mps().rootOrDefault());
    }
    OperandSettings.env(plugin, section.env());
    return List.of(CommonSettings.finish(draft, context));
  }

  /// Moves the volumes of the MPS daemons where the policy puts them.
  static void mpsRoot(DaemonSetDraft draft, RenderContext context) {
    String root = context.spec().devicePlugin().mps().rootOrDefault();
    if (!root.isEmpty() && !root.equals(DEFAULT_MPS_ROOT)) {
      draft.moveHostPath("mps-root", root).moveHostPath("mps-shm", root + "/shm");
    }
  }

  private static void features(ContainerDraft plugin, RenderContext context) {
    if (context.spec().gds().isEnabled()) {
      plugin.env("GDS_ENABLED", "true").env("MOFED_ENABLED", "true");
    }
    if (context.spec().gdrcopy().isEnabled()) {
      plugin.env("GDRCOPY_ENABLED", "true");
    }
  }

  private static void cdi(ContainerDraft plugin, RenderContext context) {
    if (!context.usesCdi()) {
      return;
    }
    plugin
        .env("CDI_ENABLED", "true")
        .env("DEVICE_LIST_STRATEGY", "cdi-annotations,cdi-cri")
        .env("CDI_ANNOTATION_PREFIX", "cdi.k8s.io/");
    RuntimeModes.cdiHook(context).ifPresent(hook -> plugin.env("NVIDIA_CDI_HOOK_PATH", hook));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.devicePlugin", context.spec().devicePlugin(), "DEVICE_PLUGIN_IMAGE");
  }

  private static DaemonSetDraft shape() {
    var draft =
        DaemonSetDraft.ofApp(NAME, "device-plugin")
            .openShiftConstraint("hostmount-anyuid")
            .serviceAccount(IDENTITY.name())
            .init(
                ValidationContainers.waitForToolkit(
                    "run-nvidia-validations", "/run/nvidia/validations"))
            .container(plugin())
            .script(SCRIPT, 0700)
            .hostPath("device-plugin", "/var/lib/kubelet/device-plugins", ANY)
            .hostPath("run-nvidia-validations", "/run/nvidia/validations", DIRECTORY_OR_CREATE)
            .hostPath("driver-install-dir", "/run/nvidia/driver", DIRECTORY_OR_CREATE)
            .hostPath("host-root", "/", ANY)
            .hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE)
            .hostPath("mps-root", DEFAULT_MPS_ROOT, DIRECTORY_OR_CREATE)
            .hostPath("mps-shm", DEFAULT_MPS_ROOT + "/shm", ANY);
    PluginConfiguration.shape(draft, CONTAINER);
    return draft;
  }

  private static ContainerDraft plugin() {
    return new ContainerDraft(CONTAINER)
        .command("/bin/sh", "-c")
        .args("/bin/entrypoint.sh")
        .env("PASS_DEVICE_SPECS", "true")
        .env("FAIL_ON_INIT_ERROR", "true")
        .env("DEVICE_LIST_STRATEGY", "envvar")
        .env("DEVICE_ID_STRATEGY", "uuid")
        .env("NVIDIA_VISIBLE_DEVICES", "all")
        .env("NVIDIA_DRIVER_CAPABILITIES", "all")
        .env("MPS_ROOT", DEFAULT_MPS_ROOT)
        .privileged()
        .mountFile(SCRIPT, "/bin/entrypoint.sh", "entrypoint.sh")
        .mount("device-plugin", "/var/lib/kubelet/device-plugins")
        .mount("run-nvidia-validations", "/run/nvidia/validations")
        .mount("driver-install-dir", "/driver-root", HOST_TO_CONTAINER)
        .mountHostRoot()
        .mount("cdi-root", "/var/run/cdi")
        .mount("mps-shm", "/dev/shm")
        .mount("mps-root", "/mps");
  }
}
