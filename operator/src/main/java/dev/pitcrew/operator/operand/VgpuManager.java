package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.READ_CLUSTER_VERSION;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.operand.driver.DriverChecks;
import dev.pitcrew.operator.operand.driver.DriverManagerContainer;
import dev.pitcrew.operator.operand.driver.DriverToolkit;
import dev.pitcrew.operator.operand.driver.DriverVariant;
import dev.pitcrew.operator.operand.driver.DriverVariants;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ConfigMapFiles;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The vGPU host driver on nodes that run virtual machines with vGPUs.
final class VgpuManager implements Operand {
  private static final String NAME = "nvidia-vgpu-manager-daemonset";
  private static final String ACCOUNT = "nvidia-vgpu-manager";
  private static final String CONTAINER = "nvidia-vgpu-manager-ctr";
  private static final String FIRMWARE_PATH = "/sys/module/firmware_class/parameters/path";
  private static final Identity IDENTITY =
      Identity.named(ACCOUNT)
          .mayInCluster(
              READ_CLUSTER_VERSION,
              rule("", "nodes", "get", "list", "patch", "watch"),
              rule("", "pods", "get", "list", "watch"),
              rule("", "pods/eviction", "create"),
              rule("apps", "daemonsets", "get"));

  @Override
  public String state() {
    return "state-vgpu-manager";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled()
        && spec.vgpuManager().isEnabled()
        && !spec.driver().isLeftToNvidiaDrivers();
  }

  @Override
  public boolean isHandedOver(ClusterPolicySpec spec) {
    return spec.driver().isLeftToNvidiaDrivers();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(VgpuManager::image),
        SectionCheck.of(VgpuManager::managerImage),
        DriverChecks::operatingSystems,
        References.configMap(
            "spec.vgpuManager.kernelModuleConfig.name",
            spec -> spec.vgpuManager().kernelModuleConfig().reference()));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(ACCOUNT).withHostPid().object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    return DriverVariants.of(NAME, false, context).stream()
        .map(variant -> daemonSet(variant, context))
        .toList();
  }

  private static DaemonSet daemonSet(DriverVariant variant, RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().vgpuManager();
    DriverManagerContainer.apply(draft, managerImage(context), section, context);
    OperandSettings.apply(
        draft,
        section,
        Images.withOsTag(context.images().path(image(context)), variant.os().imageTag()));
    context
        .facts()
        .openShift()
        .ifPresent(cluster -> draft.main().env("OPENSHIFT_VERSION", cluster.version()));
    OperandSettings.env(draft.main(), section.env());
    section
        .kernelModuleConfig()
        .reference()
        .ifPresent(name -> ConfigMapFiles.mountAll(draft, draft.main(), name, "/drivers", context));
    DriverToolkit.apply(
        draft, variant.coreOsRelease(), Map.of(CONTAINER, "nv-ctr-run-with-dtk"), context);
    variant.nodeSelector().forEach(draft::onNodesWith);
    draft.rename(NAME + variant.suffix());
    if (!variant.suffix().isEmpty()) {
      draft.renameApp(draft.name());
    }
    return CommonSettings.finish(draft, context);
  }

  private static Source image(RenderContext context) {
    return new Source("spec.vgpuManager", context.spec().vgpuManager(), "VGPU_MANAGER_IMAGE");
  }

  private static Source managerImage(RenderContext context) {
    return new Source(
        "spec.vgpuManager.driverManager",
        context.spec().vgpuManager().driverManager(),
        "DRIVER_MANAGER_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "vgpu-manager")
        .openShiftConstraint(ACCOUNT)
        .podAnnotation("kubectl.kubernetes.io/default-container", CONTAINER)
        .serviceAccount(ACCOUNT)
        .hostPid()
        .hostIpc()
        .terminationGraceSeconds(120)
        .init(DriverManagerContainer.shape())
        .container(
            new ContainerDraft(CONTAINER)
                .pullPolicy("IfNotPresent")
                .command("nvidia-driver")
                .args("init")
                .privileged()
                .sharedSelinuxLevel()
                .mount("run-nvidia", "/run/nvidia", BIDIRECTIONAL)
                .mount("host-os-release", "/host-etc/os-release")
                .mount("vfio", "/dev/vfio")
                .mount("cgroup", "/sys/fs/cgroup")
                .mount("var-log", "/var/log")
                .mount("dev-log", "/dev/log")
                .mount("firmware-search-path", FIRMWARE_PATH)
                .mount("nv-firmware", "/lib/firmware"))
        .container(
            DriverToolkit.container()
                .mount("run-nvidia", "/run/nvidia", BIDIRECTIONAL)
                .mount("dev-log", "/dev/log")
                .mount("firmware-search-path", FIRMWARE_PATH)
                .mount("nv-firmware", "/lib/firmware"))
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY_OR_CREATE)
        .hostPath("host-os-release", "/etc/os-release", ANY)
        .hostPath("cgroup", "/sys/fs/cgroup", DIRECTORY)
        .hostPath("vfio", "/dev/vfio", DIRECTORY)
        .hostPath("host-root", "/", ANY)
        .hostPath("host-sys", "/sys", DIRECTORY)
        .hostPath("var-log", "/var/log", DIRECTORY)
        .hostPath("dev-log", "/dev/log", ANY)
        .hostPath("firmware-search-path", FIRMWARE_PATH, ANY)
        .hostPath("nv-firmware", "/run/nvidia/driver/lib/firmware", DIRECTORY_OR_CREATE);
  }
}
