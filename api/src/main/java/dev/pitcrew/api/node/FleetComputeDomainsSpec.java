package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whether agents serve claims for ComputeDomains on the nodes that serve claims, and whether the
/// operator is the controller of ComputeDomains.
///
/// @param enabled whether agents serve them
/// @param controller whether the operator makes the objects of each domain
/// @param daemonImage image of NVIDIA's DRA driver, whose `compute-domain-daemon` runs on the nodes
///   of a domain
/// @param imagePullSecrets of that image
public record FleetComputeDomainsSpec(
    @Nullable Boolean enabled,
    @Nullable Boolean controller,
    @Nullable String daemonImage,
    List<String> imagePullSecrets,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetComputeDomainsSpec ABSENT = Absent.of(FleetComputeDomainsSpec.class);

  public FleetComputeDomainsSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    unknown = Absent.orUnknown(unknown);
  }

  /// Off unless set.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// Off unless set.
  public boolean hasController() {
    return Boolean.TRUE.equals(controller);
  }

  /// What agents read of it: an edit of the rest does not concern them.
  FleetComputeDomainsSpec forAgents() {
    return controller == null && daemonImage == null && imagePullSecrets.isEmpty()
        ? this
        : new FleetComputeDomainsSpec(enabled, null, null, Absent.list(), unknown);
  }
}
