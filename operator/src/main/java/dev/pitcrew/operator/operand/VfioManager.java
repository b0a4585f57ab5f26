package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.READ_CLUSTER_VERSION;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.operand.driver.DriverManagerContainer;
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

/// Binds the GPUs of pass-through nodes to vfio-pci.
final class VfioManager implements Operand {
  private static final String NAME = "nvidia-vfio-manager";
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .mayInCluster(
              READ_CLUSTER_VERSION,
              rule("", "nodes", "get", "list", "patch", "watch"),
              rule("", "pods", "get", "list", "watch"),
              rule("", "pods/eviction", "create"));

  @Override
  public String state() {
    return "state-vfio-manager";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.sandboxWorkloads().isEnabled() && spec.vfioManager().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(SectionCheck.of(VfioManager::image), SectionCheck.of(VfioManager::managerImage));
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
    var section = context.spec().vfioManager();
    DriverManagerContainer.apply(draft, managerImage(context), section, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    OperandSettings.env(draft.main(), section.env());
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source managerImage(RenderContext context) {
    return new Source(
        "spec.vfioManager.driverManager",
        context.spec().vfioManager().driverManager(),
        "DRIVER_MANAGER_IMAGE");
  }

  private static Source image(RenderContext context) {
    return new Source("spec.vfioManager", context.spec().vfioManager(), "VFIO_MANAGER_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.of(NAME, Map.of("name", NAME), "vfio-manager")
        .label("app", NAME)
        .terminationGraceSeconds(30)
        .init(DriverManagerContainer.shape())
        .container(
            new ContainerDraft(NAME)
                .pullPolicy("IfNotPresent")
                .command("/bin/sh", "-c")
                .args("vfio-manage bind --all && while true; do sleep 86400; done")
                .env("HOST_ROOT", "/host")
                .privileged()
                .sharedSelinuxLevel()
                .resources(SandboxResources.SMALL)
                .preStop("/bin/sh", "-c", "vfio-manage unbind --all")
                .mount("host-sys", "/sys")
                .mountReadOnly("host-lib-modules", "/lib/modules")
                .mount("host-root", "/host"))
        .hostPath("host-sys", "/sys", DIRECTORY)
        .hostPath("host-lib-modules", "/lib/modules", DIRECTORY)
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY_OR_CREATE)
        .hostPath("host-root", "/", ANY);
  }
}
