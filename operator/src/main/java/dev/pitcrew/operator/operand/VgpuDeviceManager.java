package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
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
import dev.pitcrew.operator.render.PackagedFile;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Creates the vGPU devices of nodes that run virtual machines with vGPUs.
final class VgpuDeviceManager implements Operand {
  private static final String NAME = "nvidia-vgpu-device-manager";
  private static final String DEFAULT_CONFIG = "default-vgpu-devices-config";
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .may(rule("", "pods", "get", "list", "watch"))
          .mayInCluster(READ_CLUSTER_VERSION, rule("", "nodes", "get", "list", "watch", "update"));

  @Override
  public String state() {
    return "state-vgpu-device-manager";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled() && spec.vgpuDeviceManager().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(VgpuDeviceManager::image),
        SectionCheck.of(ValidationContainers::image),
        VgpuDeviceManager::missingConfig);
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    if (config(context).equals(DEFAULT_CONFIG)) {
      objects.add(
          PackagedFile.configMap(
              DEFAULT_CONFIG,
              context.namespace(),
              Map.of(),
              "config.yaml",
              "vgpu-devices-config.yaml"));
    }
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(config(context)), context);
    var section = context.spec().vgpuDeviceManager();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    OperandSettings.env(draft.main(), section.env());
    String layout = section.config().defaultNameOrDefault();
    draft.main().env("DEFAULT_VGPU_CONFIG", layout.isEmpty() ? "default" : layout);
    return List.of(CommonSettings.finish(draft, context));
  }

  private static String config(RenderContext context) {
    return context.spec().vgpuDeviceManager().config().reference().orElse(DEFAULT_CONFIG);
  }

  private static Optional<Problem> missingConfig(RenderContext context) {
    return References.configMap(
            "spec.vgpuDeviceManager.config.name",
            spec ->
                spec.vgpuDeviceManager()
                    .config()
                    .reference()
                    .filter(name -> !name.equals(DEFAULT_CONFIG)))
        .problem(context);
  }

  private static Source image(RenderContext context) {
    return new Source(
        "spec.vgpuDeviceManager", context.spec().vgpuDeviceManager(), "VGPU_DEVICE_MANAGER_IMAGE");
  }

  private static DaemonSetDraft shape(String config) {
    String validations = "/run/nvidia/validations";
    return DaemonSetDraft.ofApp(NAME, "vgpu-device-manager")
        .openShiftConstraint(NAME)
        .init(
            ValidationContainers.waitFor(
                    "vgpu-manager-validation",
                    "until [ -f "
                        + validations
                        + "/vgpu-manager-ready ] || [ -f "
                        + validations
                        + "/host-vgpu-manager-ready ]; do echo waiting for the vGPU manager of this"
                        + " node, in a container or on the host, to be validated; sleep 5; done")
                .mount("run-nvidia-validations", validations, BIDIRECTIONAL))
        .container(
            new ContainerDraft(NAME)
                .pullPolicy("IfNotPresent")
                .envFromField("NAMESPACE", "metadata.namespace")
                .envFromField("NODE_NAME", "spec.nodeName")
                .env("CONFIG_FILE", "/vgpu-config/config.yaml")
                .privileged()
                .mount("vgpu-config", "/vgpu-config")
                .mount("host-sys", "/sys")
                .mount("host-root", "/host", HOST_TO_CONTAINER)
                .mount("driver-install-dir", "/driver-root", HOST_TO_CONTAINER))
        .configMap("vgpu-config", config)
        .hostPath("host-sys", "/sys", DIRECTORY)
        .hostPath("host-root", "/", ANY)
        .hostPath("driver-install-dir", "/run/nvidia/driver", DIRECTORY_OR_CREATE)
        .hostPath("run-nvidia-validations", validations, DIRECTORY_OR_CREATE);
  }
}
