package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Which nodes serve their GPUs by ResourceClaims (Dynamic Resource Allocation) and not as extended
/// resources, and what claims can ask for there.
///
/// @param nodeSelector labels that such a node has; without it no node does, and an empty one
///   selects all nodes, as label selectors of Kubernetes do
/// @param featureGates whether a feature of the DRA driver is on, by the name that it has as a
///   feature gate of NVIDIA's DRA driver; one that is not named has its default
/// @param consumableShares how several claims can hold one device: `disabled`, `memory`,
///   `unlimited` or a number of shares; without it they cannot
/// @param computeDomains whether claims for ComputeDomains are served there, too
public record FleetDraSpec(
    @Nullable Map<String, String> nodeSelector,
    Map<String, Boolean> featureGates,
    @Nullable IntOrString consumableShares,
    FleetComputeDomainsSpec computeDomains,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetDraSpec ABSENT = Absent.of(FleetDraSpec.class);

  public FleetDraSpec {
    nodeSelector = nodeSelector == null ? null : Map.copyOf(nodeSelector);
    featureGates = Absent.orMap(featureGates);
    computeDomains = Objects.requireNonNullElse(computeDomains, FleetComputeDomainsSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// The same without what only the operator reads.
  public FleetDraSpec forAgents() {
    FleetComputeDomainsSpec domains = computeDomains.forAgents();
    return domains.equals(computeDomains)
        ? this
        : new FleetDraSpec(nodeSelector, featureGates, consumableShares, domains, unknown);
  }
}
