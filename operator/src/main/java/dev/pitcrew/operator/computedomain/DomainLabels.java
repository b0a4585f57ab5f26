package dev.pitcrew.operator.computedomain;

import dev.pitcrew.core.names.NodeLabels;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// By which objects belong to a ComputeDomain. The names are those of NVIDIA's controller, so that
/// each of the two continues what the other has begun.
public final class DomainLabels {
  /// The UID of the domain, on all that belongs to it.
  public static final String DOMAIN = NodeLabels.COMPUTE_DOMAIN;

  /// Keeps an object until the node labels of the domain are gone.
  public static final String FINALIZER = DOMAIN;

  /// The NVLink clique of an IMEX daemon, on its pod; empty where its node has no fabric.
  public static final String CLIQUE = DOMAIN + ".cliqueID";

  /// Whose claims a template is for.
  public static final String TARGET = "resource.nvidia.com/computeDomainTarget";

  static final String DAEMON = "Daemon";
  static final String WORKLOAD = "Workload";

  private DomainLabels() {}

  /// The UID of the domain that an object belongs to.
  public static Optional<String> domain(HasMetadata object) {
    return label(object, DOMAIN);
  }

  /// Whether a claim template is the one for workloads.
  public static boolean isForWorkloads(HasMetadata template) {
    return label(template, TARGET).filter(WORKLOAD::equals).isPresent();
  }

  static Optional<String> label(HasMetadata object, String key) {
    return Optional.ofNullable(
        Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of())
            .get(key));
  }
}
