// Long because it is the one list of what is known of the node, and its copies.
package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.dra.DomainState;
import dev.pitcrew.agent.dra.DraState;
import dev.pitcrew.agent.dra.slices.SliceController;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.host.HostProfile;
import dev.pitcrew.agent.mig.MigReport;
import dev.pitcrew.agent.mps.MpsState;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.settings.Decision;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.agent.unhealthy.ResetReport;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.agent.watch.ClusterState;
import dev.pitcrew.agent.watch.HostState;
import dev.pitcrew.agent.watch.NodeMetadata;
import dev.pitcrew.agent.watch.PauseRequest;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// All that is known at one moment. What is empty was not looked at yet.
///
/// @param configMapNames the ConfigMaps that are to be watched
/// @param decision what runs on this node and how
/// @param snapshot the GPUs
/// @param deviceNodes how the driver's device nodes stand
/// @param host the node around them
/// @param offered what was reported to the kubelet
/// @param unwritten the state files that cannot be written, each with why
/// @param nri the state of the container runtime and its plugin; empty where there is to be none
/// @param mps which MPS daemons run
/// @param cuda whether the GPUs compute; empty also where that is not checked
/// @param validation what came of looking at the node's parts
/// @param runtime how the container runtime stands; empty also where it is not the agent's to set
///   up
/// @param mig the state of the MIG layout
/// @param resets the state of the resets of unhealthy GPUs
/// @param hookProblem why the hook of CDI specifications cannot run on the host, so that no
///   container starts that requests a GPU by its CDI name
/// @param withheld the UUIDs of the GPUs that are reported to the kubelet as withheld
/// @param dra which GPUs claims allocate, and how the DRA driver stands
/// @param slices the ResourceSlices as they were published; empty before
/// @param domains how the DRA driver for ComputeDomains stands
record NodeState(
    ClusterState cluster,
    Set<String> configMapNames,
    Optional<Decision> decision,
    Optional<NodeSnapshot> snapshot,
    Optional<DeviceNodeController.View> deviceNodes,
    Optional<HostState> host,
    Optional<OfferReport> offered,
    Map<String, String> unwritten,
    Optional<NriState> nri,
    Optional<MpsState> mps,
    Optional<CudaVerdict> cuda,
    Optional<Validation> validation,
    Optional<RuntimeState> runtime,
    MigReport mig,
    ResetReport resets,
    Optional<String> hookProblem,
    Set<String> withheld,
    DraState dra,
    Optional<SliceController.Published> slices,
    DomainState domains) {
  static final NodeState UNKNOWN = new Draft().state();

  /// A copy that can be changed.
  private static final class Draft {
    private ClusterState cluster = ClusterState.NOTHING;
    private Set<String> configMapNames = Set.of();
    private Optional<Decision> decision = Optional.empty();
    private Optional<NodeSnapshot> snapshot = Optional.empty();
    private Optional<DeviceNodeController.View> deviceNodes = Optional.empty();
    private Optional<HostState> host = Optional.empty();
    private Optional<OfferReport> offered = Optional.empty();
    private Map<String, String> unwritten = Map.of();
    private Optional<NriState> nri = Optional.empty();
    private Optional<MpsState> mps = Optional.empty();
    private Optional<CudaVerdict> cuda = Optional.empty();
    private Optional<Validation> validation = Optional.empty();
    private Optional<RuntimeState> runtime = Optional.empty();
    private MigReport mig = MigReport.UNKNOWN;
    private ResetReport resets = ResetReport.NONE;
    private Optional<String> hookProblem = Optional.empty();
    private Set<String> withheld = Set.of();
    private DraState dra = DraState.NONE;
    private Optional<SliceController.Published> slices = Optional.empty();
    private DomainState domains = DomainState.NONE;

    private Draft() {}

    private Draft(NodeState now) {
      cluster = now.cluster;
      configMapNames = now.configMapNames;
      decision = now.decision;
      snapshot = now.snapshot;
      deviceNodes = now.deviceNodes;
      host = now.host;
      offered = now.offered;
      unwritten = now.unwritten;
      nri = now.nri;
      mps = now.mps;
      cuda = now.cuda;
      validation = now.validation;
      runtime = now.runtime;
      mig = now.mig;
      resets = now.resets;
      hookProblem = now.hookProblem;
      withheld = now.withheld;
      dra = now.dra;
      slices = now.slices;
      domains = now.domains;
    }

    private NodeState state() {
      return new NodeState(
          cluster,
          configMapNames,
          decision,
          snapshot,
          deviceNodes,
          host,
          offered,
          unwritten,
          nri,
          mps,
          cuda,
          validation,
          runtime,
          mig,
          resets,
          hookProblem,
          withheld,
          dra,
          slices,
          domains);
    }
  }

  private NodeState but(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return draft.state();
  }

  Optional<Settings> settings() {
    return decision.map(Decision::settings);
  }

  /// What the host is; empty until it was looked at and the Node was seen.
  Optional<HostProfile> hostProfile() {
    return host.flatMap(HostState::signs)
        .flatMap(signs ->
            cluster.nodeObject().map(node -> HostProfile.of(signs, NodeMetadata.marks(node))));
  }

  /// The labels of the Node; until it was seen, as the last agent saw them.
  Map<String, String> nodeLabels() {
    return cluster
        .nodeObject()
        .map(NodeMetadata::labels)
        .or(() -> decision.map(it -> it.source().nodeLabels()))
        .orElse(Map.of());
  }

  PauseRequest pause() {
    return PauseRequest.of(cluster.nodeObject(), nodeLabels());
  }

  /// The GPUs as the driver has them; empty while it does not answer.
  Optional<NodeSnapshot.WithDriver> loaded() {
    return snapshot
        .filter(NodeSnapshot.WithDriver.class::isInstance)
        .map(NodeSnapshot.WithDriver.class::cast);
  }

  Optional<Inventory> loadedInventory() {
    return loaded().map(it -> it.gpus().inventory());
  }

  /// How the device nodes of the GPUs in the snapshot stand; empty until they were looked at.
  /// Without a driver there is nothing to look at.
  Optional<DeviceNodeController.View> nodesOfSnapshot() {
    return deviceNodes.filter(view -> loaded().filter(view::isOf).isPresent());
  }

  /// Whether the snapshot's GPUs can be given to containers, as far as device nodes go.
  boolean waitsForDeviceNodes() {
    return loaded().isPresent() && nodesOfSnapshot().isEmpty();
  }

  /// The GPUs as they are offered: some may be withheld temporarily.
  Optional<NodeSnapshot> offer() {
    return snapshot.map(it -> it.withholding(kept()));
  }

  /// The GPUs that are temporarily withheld, by UUID, each with the reason.
  Map<String, String> kept() {
    var all = new TreeMap<>(resets.withheld());
    all.putAll(mig.withheld());
    return Map.copyOf(all);
  }

  /// Whether claims serve GPUs of this node, or shall.
  boolean hasClaims() {
    return isByClaims() || dra.sides().haveClaims();
  }

  private boolean isByClaims() {
    return settings().filter(it -> it.isOn(NodeFunction.DRA)).isPresent();
  }

  /// The GPUs, by UUID, that the device plugin must not offer since claims allocate them.
  Set<String> claimed() {
    if (!hasClaims()) {
      return Set.of();
    }
    List<String> gpus =
        snapshot.flatMap(NodeSnapshot::inventory).stream()
            .flatMap(it -> it.gpus().stream())
            .map(Gpu::uuid)
            .toList();
    return dra.sides().withheldFromPlugin(gpus, isByClaims());
  }

  /// Why only one part of the agent may have NVML open at the moment.
  Optional<String> exclusiveUse() {
    return mig.needsDriver() || dra.needsDriver()
        ? Optional.of("the MIG mode of a GPU is being changed")
        : Optional.of("a GPU is being reset").filter(_ -> resets.needsDriver());
  }

  /// How the division of the GPUs stands; empty where it is not the agent's to do.
  Optional<MigFacts> migFacts() {
    boolean isOurs =
        settings()
            .filter(it -> !(it.state(NodeFunction.MIG) instanceof FunctionState.Off))
            .isPresent();
    return mig.facts().filter(_ -> isOurs);
  }

  NodeState with(ClusterState seen) {
    return but(it -> it.cluster = seen);
  }

  NodeState withConfigMapNames(Set<String> names) {
    return but(it -> it.configMapNames = Set.copyOf(names));
  }

  NodeState with(Decision made) {
    return but(it -> it.decision = Optional.of(made));
  }

  NodeState with(NodeSnapshot seen) {
    return but(it -> it.snapshot = Optional.of(seen));
  }

  NodeState with(DeviceNodeController.View view) {
    return but(it -> it.deviceNodes = Optional.of(view));
  }

  NodeState with(HostState seen) {
    return but(it -> it.host = Optional.of(seen));
  }

  NodeState with(OfferReport report) {
    return but(it -> it.offered = Optional.of(report));
  }

  NodeState with(MigReport view) {
    return but(it -> it.mig = view);
  }

  NodeState with(ResetReport view) {
    return but(it -> it.resets = view);
  }

  NodeState with(SliceController.Published published) {
    return but(it -> it.slices = Optional.of(published));
  }

  NodeState with(DomainState state) {
    return but(it -> it.domains = state);
  }

  NodeState with(DraState state) {
    return but(it -> it.dra = state);
  }

  NodeState withWithheld(Set<String> uuids) {
    return but(it -> it.withheld = uuids);
  }

  NodeState withUnwritten(String file, Optional<String> why) {
    var files = new TreeMap<>(unwritten);
    why.ifPresentOrElse(it -> files.put(file, it), () -> files.remove(file));
    return but(it -> it.unwritten = Map.copyOf(files));
  }

  NodeState with(Optional<NriState> state) {
    return but(it -> it.nri = state);
  }

  NodeState with(MpsState view) {
    return but(it -> it.mps = Optional.of(view));
  }

  NodeState withCuda(Optional<CudaVerdict> verdict) {
    return but(it -> it.cuda = verdict);
  }

  NodeState withHookProblem(Optional<String> problem) {
    return but(it -> it.hookProblem = problem);
  }

  NodeState withRuntime(Optional<RuntimeState> state) {
    return but(it -> it.runtime = state);
  }

  NodeState with(Validation found) {
    return but(it -> it.validation = Optional.of(found));
  }
}
