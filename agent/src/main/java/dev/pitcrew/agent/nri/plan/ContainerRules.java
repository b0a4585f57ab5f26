package dev.pitcrew.agent.nri.plan;

import java.util.Optional;
import java.util.Set;

/// Which containers may ask for devices by what. The defaults are the container toolkit's.
///
/// @param handlers of the RuntimeClasses whose pods may ask by variable or mount
/// @param acceptsVariable whether `NVIDIA_VISIBLE_DEVICES` counts
/// @param acceptsMounts whether mounts below `/var/run/nvidia-container-devices` count
/// @param acceptsAnnotations whether `nvidia.cdi.k8s.io` counts, as ClusterPolicy
///   `spec.cdi.nriPluginEnabled` says
/// @param namespaces those in which annotations, variable and mounts count; empty for all
/// @param managers the namespaces that may have the devices of who manages the node, and in which
///   all three count in any case
public record ContainerRules(
    Set<String> handlers,
    boolean acceptsVariable,
    boolean acceptsMounts,
    boolean acceptsAnnotations,
    Optional<Set<String>> namespaces,
    Set<String> managers) {
  private static final Set<String> HANDLERS = Set.of("nvidia", "nvidia-cdi", "nvidia-legacy");

  public ContainerRules {
    handlers = Set.copyOf(handlers);
    namespaces = namespaces.map(Set::copyOf);
    managers = Set.copyOf(managers);
  }

  /// @param namespace of the operator
  public static ContainerRules standard(String namespace) {
    return new ContainerRules(HANDLERS, true, false, false, Optional.empty(), Set.of(namespace));
  }

  public boolean isManager(ContainerFacts container) {
    return managers.contains(container.namespace());
  }

  public boolean mayAsk(ContainerFacts container) {
    return isManager(container)
        || namespaces.map(some -> some.contains(container.namespace())).orElse(true);
  }
}
