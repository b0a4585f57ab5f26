package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.Volumes;
import java.util.Map;
import java.util.Optional;

/// OpenShift's driver toolkit: a container with the compilers of a CoreOS release builds the kernel
/// modules, and the driver containers hand their build to it through a shared directory.
public final class DriverToolkit {
  public static final String CONTAINER = "openshift-driver-toolkit-ctr";
  private static final String SHARED = "shared-nvidia-driver-toolkit";
  private static final String SHARED_PATH = "/mnt/shared-nvidia-driver-toolkit";
  private static final String LABEL = "openshift.driver-toolkit";

  private DriverToolkit() {}

  /// Whether the toolkit builds modules: wanted, its ImageStream is there, and the CoreOS releases
  /// of the GPU nodes are known.
  public static boolean isEnabled(RenderContext context) {
    return context.spec().operator().isOcpDriverToolkitWanted()
        && !context.spec().driver().isPrecompiled()
        && context.facts().openShift().flatMap(OpenShift::driverToolkitImages).isPresent()
        && context.facts().pools().stream().anyMatch(pool -> !pool.coreOsRelease().isEmpty());
  }

  /// The container, with the mounts that both drivers give it; each adds its own.
  public static ContainerDraft container() {
    return new ContainerDraft(CONTAINER)
        .pullPolicy("IfNotPresent")
        .command("bash", "-xc")
        .args(
            """
            until [ -f %1$s/dir_prepared ]; do
              echo waiting for the driver container to hand over its sources
              sleep 10
            done
            exec %1$s/ocp_dtk_entrypoint dtk-build-driver
            """
                .formatted(SHARED_PATH))
        .env("RHCOS_VERSION", "")
        .env("NVIDIA_VISIBLE_DEVICES", "void")
        .privileged()
        .sharedSelinuxLevel()
        .mount(SHARED, SHARED_PATH)
        .mount("var-log", "/var/log");
  }

  /// Sets the DaemonSet up for one CoreOS release, or removes the toolkit container where none
  /// builds.
  ///
  /// @param operands container name → argument with which it hands its build over
  public static void apply(
      DaemonSetDraft draft,
      Optional<String> coreOsRelease,
      Map<String, String> operands,
      RenderContext context) {
    if (coreOsRelease.isEmpty()) {
      draft.remove(CONTAINER);
      return;
    }
    String release = coreOsRelease.get();
    draft
        .label(LABEL + ".rhcos", release)
        .labelBoth(LABEL, "true")
        .volume(Volumes.emptyDir(SHARED));
    ContainerDraft toolkit = draft.find(CONTAINER).env("RHCOS_VERSION", release);
    features(toolkit, context.spec().gds().isEnabled(), context.spec().gdrcopy().isEnabled());
    operands.forEach((name, argument) -> {
      if (draft.has(name)) {
        draft.find(name).command("ocp_dtk_entrypoint").args(argument).mount(SHARED, SHARED_PATH);
      }
    });
    image(draft, toolkit, release, context);
  }

  static void features(ContainerDraft toolkit, boolean gds, boolean gdrcopy) {
    if (gds) {
      toolkit.env("GDS_ENABLED", "true");
    }
    if (gdrcopy) {
      toolkit.env("GDRCOPY_ENABLED", "true");
    }
  }

  /// A release without a toolkit image falls back to the operand's own, which then builds by
  /// itself.
  private static void image(
      DaemonSetDraft draft, ContainerDraft toolkit, String release, RenderContext context) {
    String image =
        context
            .facts()
            .openShift()
            .flatMap(OpenShift::driverToolkitImages)
            .map(images -> images.getOrDefault(release, ""))
            .orElse("");
    if (!image.isEmpty()) {
      toolkit.image(image);
      return;
    }
    draft.labelBoth(LABEL + ".rhcos-image-missing", "true");
    toolkit.image(draft.main().image()).env("RHCOS_IMAGE_MISSING", "true");
    draft.main().env("RHCOS_IMAGE_MISSING", "true").env("RHCOS_VERSION", release);
  }
}
