package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;

import dev.pitcrew.api.DriverManagerSpec;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import java.util.LinkedHashMap;
import java.util.Map;

/// The init container that unloads an older driver before a driver, vGPU manager or VFIO manager
/// starts.
public final class DriverManagerContainer {
  public static final String NAME = "k8s-driver-manager";

  private DriverManagerContainer() {}

  /// The container of an operand that gets its node to itself by other means.
  public static ContainerDraft shape() {
    return shape(false, Map.of());
  }

  /// The container of a driver, which may evict the pods that use GPUs.
  static ContainerDraft evictingShape() {
    var drain = new LinkedHashMap<String, String>();
    drain.put("DRAIN_USE_FORCE", "false");
    drain.put("DRAIN_POD_SELECTOR_LABEL", "");
    drain.put("DRAIN_TIMEOUT_SECONDS", "0s");
    drain.put("DRAIN_DELETE_EMPTYDIR_DATA", "false");
    return shape(true, drain);
  }

  private static ContainerDraft shape(boolean evictsPods, Map<String, String> drain) {
    return new ContainerDraft(NAME)
        .pullPolicy("IfNotPresent")
        .command("driver-manager")
        .args("uninstall_driver")
        .envFromField("NODE_NAME", "spec.nodeName")
        .env("NVIDIA_VISIBLE_DEVICES", "void")
        .env("ENABLE_GPU_POD_EVICTION", Boolean.toString(evictsPods))
        .env("ENABLE_AUTO_DRAIN", "false")
        .env(drain)
        .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
        .privileged()
        .mount("run-nvidia", "/run/nvidia", BIDIRECTIONAL)
        .mountHostRoot()
        .mount("host-sys", "/sys");
  }

  /// Lays image, resources and environment over it.
  ///
  /// @param operand whose resources the container gets
  public static void apply(
      DaemonSetDraft draft, Source image, OperandSpec operand, RenderContext context) {
    ContainerDraft manager = draft.find(NAME);
    OperandSettings.image(draft, manager, image.section(), context.images().path(image));
    OperandSettings.resources(manager, operand);
    if (image.section() instanceof DriverManagerSpec section) {
      OperandSettings.env(manager, section.env());
    }
  }
}
