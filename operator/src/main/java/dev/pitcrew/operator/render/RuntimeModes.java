package dev.pitcrew.operator.render;

import dev.pitcrew.operator.cluster.ContainerRuntime;
import java.util.Optional;

/// How a pod of ours gets at the GPUs itself: by runtime class, or with the NRI plugin by an
/// annotation.
public final class RuntimeModes {
  private RuntimeModes() {}

  /// The runtime class that the policy names.
  public static String runtimeClassName(RenderContext context) {
    String name = context.spec().operator().runtimeClassOrDefault();
    return name.isEmpty() ? "nvidia" : name;
  }

  /// The runtime class of operand pods. CRI-O without CDI uses a hook, and the NRI plugin needs no
  /// class.
  public static Optional<String> runtimeClass(RenderContext context) {
    boolean byHook = !context.usesCdi() && context.facts().runtime() == ContainerRuntime.CRIO;
    return byHook || context.usesNri() ? Optional.empty() : Optional.of(runtimeClassName(context));
  }

  /// Lets one container of the pod see all GPUs.
  public static void seeGpus(DaemonSetDraft draft, String container, RenderContext context) {
    runtimeClass(context).ifPresent(draft::runtimeClass);
    if (context.usesNri()) {
      draft.podAnnotation(
          "nvidia.cdi.k8s.io/container." + container, "management.nvidia.com/gpu=all");
    }
  }

  /// Where the container toolkit puts the hook that CDI specifications name; only where we install
  /// a toolkit.
  public static Optional<String> cdiHook(RenderContext context) {
    var toolkit = context.spec().toolkit();
    return toolkit.isEnabled()
        ? Optional.of(toolkitDirectory(context) + "/toolkit/nvidia-cdi-hook")
        : Optional.empty();
  }

  public static String toolkitDirectory(RenderContext context) {
    String directory = context.spec().toolkit().installDirOrDefault();
    return directory.isEmpty() ? "/usr/local/nvidia" : directory;
  }
}
