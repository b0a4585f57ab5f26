package dev.pitcrew.operator.node;

import java.util.Map;
import java.util.Optional;

/// What labelling needs of the active ClusterPolicy or GPUCluster. Where there is none, there is no
/// NodePolicy and nothing is planned.
///
/// @param sandboxEnabled `sandboxWorkloads.enabled`; without it every node runs containers,
///   whatever its label says
/// @param sandboxMode decides which device plugin a passthrough node gets
/// @param defaultWorkload for nodes whose workload label is missing or invalid
/// @param migManagerEnabled `migManager.enabled`
/// @param defaultMigConfig `migManager.config.default`, empty when not set
/// @param autoUpgradeWanted the driver is ours, its upgrades are automatic, and sandbox workloads
///   are off
/// @param driverOwners which NVIDIADriver serves which node; empty while they have not been read
/// @param demand the driver that the policy itself wants
/// @param useNvidiaDriverCrd drivers come from NVIDIADriver objects, which then decide about the
///   upgrade annotation
/// @param servesClaims of a GPUCluster, whose nodes serve GPUs by claims
public record NodePolicy(
    boolean sandboxEnabled,
    SandboxMode sandboxMode,
    WorkloadConfig defaultWorkload,
    boolean migManagerEnabled,
    String defaultMigConfig,
    boolean autoUpgradeWanted,
    DriverDemand demand,
    boolean useNvidiaDriverCrd,
    Optional<DriverOwners> driverOwners,
    boolean servesClaims) {

  /// The same with NVIDIADrivers as they are now.
  public NodePolicy with(Optional<DriverOwners> owners) {
    return new NodePolicy(
        sandboxEnabled,
        sandboxMode,
        defaultWorkload,
        migManagerEnabled,
        defaultMigConfig,
        autoUpgradeWanted,
        demand,
        useNvidiaDriverCrd,
        owners,
        servesClaims);
  }

  /// The driver that is wanted on a node with these labels; empty while it is unknown.
  Optional<DriverDemand> demandOn(Map<String, String> labels) {
    return useNvidiaDriverCrd
        ? driverOwners.flatMap(owners ->
            owners.ownerOf(labels).map(owners::demand).orElse(Optional.of(DriverDemand.NONE)))
        : Optional.of(demand);
  }

  /// Whether driver containers may be wanted on some node.
  public boolean wantsDrivers() {
    return useNvidiaDriverCrd || !demand.isNone();
  }

  /// Whether the auto-upgrade annotation follows this policy rather than the NVIDIADriver that owns
  /// the node.
  boolean decidesAutoUpgrade() {
    return sandboxEnabled || !useNvidiaDriverCrd;
  }
}
