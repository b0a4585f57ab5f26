package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import dev.pitcrew.core.rollout.DriverDigest;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Reads what a roll-out of drivers consists of.
public final class RolloutReading {
  private static final String SELECTOR = "?labelSelector=" + DriverDigest.SELECTOR;
  private static final String NVIDIA_DRIVERS = "/apis/nvidia.com/v1alpha1/nvidiadrivers";

  private final ClusterReading cluster;

  public RolloutReading(ClusterReading cluster) {
    this.cluster = cluster;
  }

  /// The ClusterPolicy in force, or where it leaves drivers to them the NVIDIADrivers; none where
  /// the cluster knows neither kind.
  public List<DriverSource> sources() {
    Optional<Json> policy =
        DriverSource.inForce(ofKind(cluster.all(Policy.Kind.CLUSTER_POLICY.path, it -> it)));
    return policy
        .filter(it -> !DriverSource.leavesDriversToOthers(it))
        .map(it -> List.of(DriverSource.ofPolicy(it)))
        .orElseGet(() ->
            ofKind(cluster.all(NVIDIA_DRIVERS, DriverSource::ofDriver)).stream()
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .toList());
  }

  /// Empty where the user may not list DaemonSets.
  public Supplier<Optional<List<DriverSet>>> daemonSets() {
    return cluster.allIfAny("/apis/apps/v1/daemonsets" + SELECTOR, DriverSet::of);
  }

  /// Empty where the user may not list pods.
  public Supplier<Optional<List<DriverPod>>> pods() {
    return cluster.allIfAny("/api/v1/pods" + SELECTOR, DriverPod::of);
  }

  public Supplier<List<DriverRevision>> revisions() {
    return cluster.all("/apis/apps/v1/controllerrevisions" + SELECTOR, DriverRevision::of);
  }

  /// Namespaces in which the operator's Deployment is.
  public List<String> operators() {
    return cluster
        .all(
            "/apis/apps/v1/deployments?fieldSelector=metadata.name=gpu-operator",
            it -> it.at("metadata", "namespace").text())
        .get();
  }

  /// The FleetPolicy that counts.
  public Optional<Json> fleetPolicy() {
    return ofKind(cluster.all(Policy.Kind.FLEET_POLICY.path, it -> it)).stream().findFirst();
  }

  private static <T> List<T> ofKind(Supplier<List<T>> all) {
    try {
      return all.get();
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.NOT_FOUND) {
        return List.of();
      }
      throw refused;
    }
  }
}
