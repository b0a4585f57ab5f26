// Long because it is the one list of what each controller depends on.
package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.cuda.CudaController;
import dev.pitcrew.agent.dra.DomainController;
import dev.pitcrew.agent.dra.DomainState;
import dev.pitcrew.agent.dra.DraController;
import dev.pitcrew.agent.dra.PassthroughDevices;
import dev.pitcrew.agent.dra.plan.GpuSide;
import dev.pitcrew.agent.dra.slices.SliceController;
import dev.pitcrew.agent.dra.slices.plan.DeviceTaints;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.gpu.DigestMigration;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.labels.LabelController;
import dev.pitcrew.agent.metrics.MetricsController;
import dev.pitcrew.agent.mig.MigController;
import dev.pitcrew.agent.mps.MpsController;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nodestatus.NodeStatusController;
import dev.pitcrew.agent.nodestatus.plan.NodeStatus;
import dev.pitcrew.agent.nri.NriController;
import dev.pitcrew.agent.offer.DevicePluginController;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.offer.WarmUp;
import dev.pitcrew.agent.runtime.RuntimeController;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.agent.status.GpuNodeController;
import dev.pitcrew.agent.status.ReportInput;
import dev.pitcrew.agent.unhealthy.HealthNotifier;
import dev.pitcrew.agent.unhealthy.ResetController;
import dev.pitcrew.agent.unhealthy.TaintController;
import dev.pitcrew.agent.validation.PluginObservation;
import dev.pitcrew.agent.validation.ValidationController;
import dev.pitcrew.agent.watch.HostState;
import dev.pitcrew.agent.watch.NodeCapacity;
import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.dra.DeviceTaint;
import dev.pitcrew.device.dra.DomainDevice;
import dev.pitcrew.device.dra.SliceDevices;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.mps.MpsPlan;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What each controller depends on: its input as a projection of the state of the node, empty while
/// too little is known for it. This is the only place that knows both sides.
final class Projections {
  /// Where the operator puts it unless it is given another place.
  private static final String MPS_ROOT = "/run/nvidia/mps";

  private Projections() {}

  static Optional<DriverController.Input> driver(NodeState state) {
    return state
        .settings()
        .map(settings -> new DriverController.Input(settings, state.pause(), state.exclusiveUse()));
  }

  static Optional<DeviceNodeController.Input> deviceNodes(NodeState state) {
    return state
        .settings()
        .flatMap(settings ->
            state
                .loaded()
                .map(loaded ->
                    new DeviceNodeController.Input(
                        settings.deviceNodes(),
                        settings.driverFolder(),
                        loaded.gpus().inventory(),
                        loaded.unhealthy().driverLoad())));
  }

  static Optional<DevicePluginController.Input> devicePlugin(NodeState state) {
    if (state.settings().isEmpty() || state.snapshot().isEmpty() || state.waitsForDeviceNodes()) {
      return Optional.empty();
    }
    Settings settings = state.settings().get();
    // A paused function keeps its resources, with no device in order: pods that hold one keep it,
    // and none is started that could not open it.
    boolean isWanted = !(settings.state(NodeFunction.DEVICE_PLUGIN) instanceof FunctionState.Off);
    return Optional.of(
        new DevicePluginController.Input(
            settings.plugin().filter(_ -> isWanted).map(InForce::config),
            settings.driverFolder(),
            settings.deviceNodes().makesNodes(),
            state.offer().orElseThrow(),
            state.claimed(),
            counted(state),
            state.kept().keySet(),
            state.nodesOfSnapshot(),
            state.mps()));
  }

  /// Nothing where claims take no GPU: there the Node says nothing that an offer depends on.
  private static Set<String> counted(NodeState state) {
    return state
        .cluster()
        .nodeObject()
        .filter(_ -> !state.claimed().isEmpty())
        .map(node -> PluginObservation.allocatable(node).keySet())
        .orElse(Set.of());
  }

  static Optional<DraController.Input> dra(NodeState state) {
    return state
        .settings()
        .map(settings ->
            new DraController.Input(
                settings.isOn(NodeFunction.DRA),
                settings.dra(),
                settings.driverFolder(),
                mpsRoot(settings),
                state.loadedInventory().filter(_ -> !state.waitsForDeviceNodes()),
                state.offer().map(NodeSnapshot::health).orElse(Health.ALL_WELL),
                mayBeOffered(state, settings),
                state.slices().map(SliceController.Published::devices)));
  }

  static Optional<DomainController.Input> domains(NodeState state) {
    return state
        .settings()
        .map(settings ->
            new DomainController.Input(
                settings.isOn(NodeFunction.DRA) && settings.servesDomains(),
                settings.driverFolder(),
                state.loadedInventory().filter(_ -> !state.waitsForDeviceNodes())));
  }

  static Optional<SliceController.Input> domainSlices(NodeState state) {
    return Optional.of(state.domains().offer())
        .filter(offer -> offer != DomainState.Offer.NEVER)
        .flatMap(offer ->
            state
                .cluster()
                .nodeObject()
                .map(node -> {
                  SliceDevices devices =
                      offer == DomainState.Offer.OFFERED
                          ? DomainDevice.slice()
                          : DomainDevice.withdrawn();
                  return new SliceController.Input(
                      node.at("/metadata/name").asText(),
                      node.at("/metadata/uid").asText(),
                      devices,
                      devices);
                }));
  }

  /// The devices of GPUs that claims serve. What keeps claims from an unhealthy one is its taint;
  /// one that is withheld, or does not answer for a while, is left out.
  static Optional<SliceController.Input> slices(NodeState state) {
    return state
        .loadedInventory()
        .filter(_ -> state.hasClaims())
        // How the last agent divided the GPUs is known once claims are served.
        .filter(_ -> state.dra().serving().isDriver())
        // Before the first GPU moves there is nothing to publish.
        .filter(_ ->
            state.slices().isPresent()
                || !state.dra().sides().on(GpuSide::preparesClaims).isEmpty())
        .flatMap(inventory ->
            state
                .cluster()
                .nodeObject()
                .map(node ->
                    slices(
                        state,
                        inventory,
                        node.at("/metadata/name").asText(),
                        node.at("/metadata/uid").asText())));
  }

  private static SliceController.Input slices(
      NodeState state, Inventory inventory, String node, String uid) {
    SliceDevices asTheyAre = claimable(state, inventory, Optional.empty());
    Optional<Set<String>> own = state.dra().partitions();
    return own.isPresent()
        ? new SliceController.Input(node, uid, claimable(state, inventory, own), asTheyAre)
        : new SliceController.Input(node, uid, asTheyAre);
  }

  private static SliceDevices claimable(
      NodeState state, Inventory inventory, Optional<Set<String>> own) {
    Set<String> served = state.dra().sides().on(side -> side == GpuSide.CLAIMS);
    PassthroughDevices.Offer machines = state.dra().machines();
    List<ClaimDevice> devices =
        ClaimDevice.of(inventory, own).stream()
            .filter(device -> served.contains(device.gpu().uuid()))
            .filter(device -> !machines.given().contains(device.gpu().uuid()))
            .toList();
    List<ClaimDevice.Passthrough> ofMachines =
        machines.devices().stream().filter(device -> served.contains(device.gpu().uuid())).toList();
    Optional<DeviceTaint.Effect> effect =
        state.settings().flatMap(settings -> settings.health().deviceTaints());
    Map<String, List<DeviceTaint>> taints =
        effect.isPresent() && state.loaded().isPresent()
            ? DeviceTaints.of(
                Stream.concat(devices.stream(), ofMachines.stream()).toList(),
                state.loaded().get().unhealthy(),
                effect.get())
            : Map.of();
    Health health =
        state
            .offer()
            .map(offer -> effect.isPresent() ? offer : offer.withoutEvidence())
            .map(NodeSnapshot::health)
            .orElse(Health.ALL_WELL);
    ConsumableShares shares =
        state
            .settings()
            .map(settings -> settings.dra().shares())
            .orElseGet(ConsumableShares.Disabled::new);
    SliceDevices all =
        own.map(it -> SliceDevices.partitioned(inventory, it, shares))
            .orElseGet(() -> SliceDevices.of(inventory, shares));
    return all.and(inventory.driver(), ofMachines)
        .only(
            Stream.concat(devices.stream(), ofMachines.stream())
                .filter(device ->
                    device.unhealthy(health).isEmpty() || taints.containsKey(device.name()))
                .map(ClaimDevice::name)
                .collect(Collectors.toUnmodifiableSet()))
        .withTaints(taints);
  }

  /// The GPUs that the device plugin has not reported as left out.
  private static Set<String> mayBeOffered(NodeState state, Settings settings) {
    Optional<Allocatable> offered = state.offered().map(OfferReport::offered);
    if (settings.state(NodeFunction.DEVICE_PLUGIN) instanceof FunctionState.Off) {
      return offered.stream()
          .flatMap(it -> it.resources().stream())
          .flatMap(resource -> resource.devices().stream())
          .map(device -> device.physical().gpuUuid())
          .collect(Collectors.toUnmodifiableSet());
    }
    Set<String> leftOut = offered.map(Allocatable::byClaims).orElse(Set.of());
    return state.loadedInventory().stream()
        .flatMap(inventory -> inventory.gpus().stream())
        .map(Gpu::uuid)
        .filter(gpu -> !leftOut.contains(gpu))
        .collect(Collectors.toUnmodifiableSet());
  }

  /// Empty where nothing can be said: GPUs that cannot be read for a moment are no reason to end
  /// what runs on them.
  static Optional<MpsController.Input> mps(NodeState state) {
    return state
        .settings()
        .filter(_ -> state.snapshot().isPresent())
        .flatMap(settings ->
            mpsPlan(state, settings).map(plan -> new MpsController.Input(plan, mpsRoot(settings))));
  }

  private static String mpsRoot(Settings settings) {
    return settings
        .plugin()
        .map(it -> it.config().plugin().mpsRoot())
        .filter(root -> !root.isEmpty())
        .orElse(MPS_ROOT);
  }

  private static Optional<MpsPlan> mpsPlan(NodeState state, Settings settings) {
    Optional<AgentConfig> sharing =
        settings
            .plugin()
            .filter(_ -> settings.isOn(NodeFunction.MPS))
            .map(InForce::config)
            .filter(AgentConfig::sharesByMps);
    return sharing.isEmpty()
        ? Optional.of(MpsController.NONE)
        : state
            .snapshot()
            .filter(it -> it.inventory().isPresent())
            .map(it ->
                MpsPlan.of(
                    NodeOffer.allocatable(sharing.get(), it)
                        .withoutClaimed(state.claimed())
                        .resources()));
  }

  static Optional<LabelController.Input> labels(NodeState state) {
    Optional<JsonNode> node = state.cluster().nodeObject();
    if (node.isEmpty() || state.settings().isEmpty() || state.host().isEmpty()) {
      return Optional.empty();
    }
    Settings settings = state.settings().get();
    HostState host = state.host().get();
    return Optional.of(
        new LabelController.Input(
            node.get(),
            settings.isOn(NodeFunction.FEATURE_LABELS) ? host.features() : Map.of(),
            host.hasGpu(),
            settings.state(NodeFunction.GPU_LABELS),
            settings.labels().map(InForce::config),
            state.loadedInventory(),
            state.migFacts()));
  }

  static Optional<Set<String>> watches(NodeState state) {
    return Optional.of(state.configMapNames());
  }

  static Optional<OfferReport> initialSync(NodeState state) {
    return state.offered();
  }

  static Optional<NriController.Input> nri(NodeState state) {
    return state
        .settings()
        .map(settings ->
            new NriController.Input(
                settings.state(NodeFunction.RUNTIME),
                settings.containers(),
                settings.driverFolder(),
                state.loadedInventory(),
                state.nodesOfSnapshot()));
  }

  static Optional<RuntimeController.Input> runtime(NodeState state) {
    return state
        .settings()
        .flatMap(settings ->
            state
                .hostProfile()
                .map(host ->
                    new RuntimeController.Input(
                        settings.state(NodeFunction.RUNTIME),
                        settings.containers().runtime(),
                        host.runtimeLeftAlone(),
                        strategiesByCdi(settings))));
  }

  private static List<String> strategiesByCdi(Settings settings) {
    return settings
        .plugin()
        .map(plugin -> plugin.config().plugin().deviceListStrategies())
        .orElse(List.of())
        .stream()
        .filter(DeviceListStrategy::isCdi)
        .map(DeviceListStrategy::value)
        .toList();
  }

  /// Empty also where the node never had a GPU: it needs no GPUNode.
  static Optional<GpuNodeController.Input> gpuNode(NodeState state) {
    boolean hasGpu = state.host().filter(HostState::hasGpu).isPresent();
    boolean isIdle = !hasGpu && state.cluster().gpuNodeObject().isEmpty();
    return state
        .cluster()
        .nodeObject()
        .filter(_ -> state.cluster().gpuNode().isPresent())
        .filter(_ -> state.settings().isPresent() && !isIdle)
        .map(node -> new GpuNodeController.Input(ObjectEvent.Subject.of(node), report(state)));
  }

  static ReportInput report(NodeState state) {
    return new ReportInput(
        state.cluster().gpuNodeObject(),
        state.settings(),
        state.pause().by(),
        state.snapshot(),
        state.nodesOfSnapshot(),
        state.host(),
        state.hostProfile(),
        state.offered(),
        state.unwritten(),
        state.nri(),
        state.mps(),
        state.validation(),
        state.runtime(),
        state.hookProblem(),
        state.migFacts(),
        state.resets().words(),
        state.dra(),
        state.domains().problem(),
        state.slices().flatMap(SliceController.Published::withoutCounters),
        state.slices().flatMap(SliceController.Published::withoutShares));
  }

  static Optional<TaintController.Input> taints(NodeState state) {
    return state
        .cluster()
        .nodeObject()
        .filter(_ -> state.snapshot().isPresent())
        .flatMap(node ->
            state
                .settings()
                .map(settings ->
                    new TaintController.Input(
                        node,
                        settings.health(),
                        settings.isOn(NodeFunction.HEALTH),
                        state.offered(),
                        report(state))));
  }

  /// An unloaded driver does not make a GPU unhealthy.
  static Optional<Map<String, String>> unhealthy(NodeState state) {
    return state
        .settings()
        .filter(it -> it.isOn(NodeFunction.HEALTH))
        .flatMap(_ -> state.loaded())
        .map(HealthNotifier::unhealthy);
  }

  static Optional<MigController.Input> mig(NodeState state) {
    return Optional.of(
        new MigController.Input(
            state
                .cluster()
                .nodeObject()
                .flatMap(node -> state.settings().map(settings -> mig(state, node, settings)))));
  }

  private static MigController.Wanted mig(NodeState state, JsonNode node, Settings settings) {
    return new MigController.Wanted(
        settings,
        label(node, NodeLabels.MIG_CONFIG),
        label(node, NodeLabels.MIG_CONFIG_STATE),
        state.cluster().configMaps(),
        state.loaded().map(NodeSnapshot.WithDriver::gpus),
        state.withheld(),
        state.dra().dividedByClaims(),
        state.cluster().gpuNodeObject());
  }

  private static String label(JsonNode node, String name) {
    return node.at("/metadata/labels").path(name).asText("");
  }

  static Optional<ResetController.Input> resets(NodeState state) {
    Optional<Settings> settings =
        state
            .settings()
            .filter(it -> it.isOn(NodeFunction.HEALTH) && it.health().resetsGpus())
            .filter(_ -> state.pause().by().isEmpty());
    return Optional.of(
        new ResetController.Input(
            settings.flatMap(it ->
                state
                    .cluster()
                    .nodeObject()
                    .flatMap(
                        node -> state.loaded().map(loaded -> resets(state, node, it, loaded))))));
  }

  private static ResetController.Wanted resets(
      NodeState state, JsonNode node, Settings settings, NodeSnapshot.WithDriver loaded) {
    return new ResetController.Wanted(
        ObjectEvent.Subject.of(node),
        settings,
        loaded,
        label(node, NodeLabels.MIG_CONFIG),
        state.cluster().configMaps(),
        state.mig().withheld().keySet(),
        state.withheld(),
        report(state));
  }

  static Optional<CudaController.Input> cuda(NodeState state) {
    boolean isTaken = state.exclusiveUse().isPresent();
    boolean isKnown = isTaken || !state.waitsForDeviceNodes();
    return state
        .settings()
        .filter(_ -> isKnown)
        .map(settings ->
            new CudaController.Input(
                isTaken,
                settings.driverFolder(),
                state.loaded().filter(_ -> settings.checksCuda() && !isEarly(state, settings))));
  }

  /// Before the first offer a check would hold up what pods wait for.
  private static boolean isEarly(NodeState state, Settings settings) {
    return settings.isOn(NodeFunction.DEVICE_PLUGIN) && state.offered().isEmpty();
  }

  static Optional<SameDriver> digest(NodeState state) {
    return state.cluster().nodeObject().flatMap(DigestMigration::sameDriver);
  }

  static Optional<NodeStatusController.Input> nodeStatus(NodeState state) {
    return Optional.of(
        new NodeStatusController.Input(
            state.settings().filter(it -> it.isOn(NodeFunction.NODE_STATUS)).isPresent(),
            state.snapshot(),
            NodeCapacity.of(state.cluster().nodeObject()),
            NodeCapacity.allocatable(state.cluster().nodeObject()),
            state
                .host()
                .map(host -> host.pci().stream().filter(PciDevice::isNvidia).count())
                .orElse(NodeStatus.UNKNOWN),
            state.cluster().gpuNodeObject()));
  }

  static Optional<MetricsController.Input> metrics(NodeState state) {
    return state
        .settings()
        .map(settings ->
            new MetricsController.Input(
                Optional.of(settings).filter(it -> it.isOn(NodeFunction.METRICS)),
                state.exclusiveUse(),
                state.snapshot()));
  }

  static Optional<ValidationController.Input> validation(NodeState state) {
    return state
        .settings()
        .filter(_ -> !state.waitsForDeviceNodes())
        .flatMap(settings ->
            state
                .snapshot()
                .map(snapshot ->
                    new ValidationController.Input(
                        settings,
                        snapshot,
                        state
                            .nodesOfSnapshot()
                            .map(DeviceNodeController.View::problems)
                            .orElse(List.of()),
                        state.pause().by(),
                        isForPassthrough(state),
                        state.cuda(),
                        state.offered(),
                        state.cluster().nodeObject().map(PluginObservation::allocatable),
                        state.runtime())));
  }

  /// Whether virtual machines get all GPUs: as the node is labelled, or since claims gave them.
  private static boolean isForPassthrough(NodeState state) {
    List<PciDevice> gpus =
        state.host().stream()
            .flatMap(host -> host.pci().stream())
            .filter(device -> device.isNvidiaGpu() && !device.isVirtualFunction())
            .toList();
    boolean areGiven =
        !gpus.isEmpty()
            && gpus.stream().allMatch(gpu -> state.dra().machines().isGiven(gpu.address()));
    return areGiven || state.nodeLabels().containsKey(ValidationController.FOR_PASSTHROUGH);
  }

  static Optional<WarmUp.Input> warmUp(NodeState state) {
    return state
        .settings()
        .filter(_ -> state.cluster().nodeObject().isPresent() && state.host().isPresent())
        .map(settings -> new WarmUp.Input(settings, state.pause().by().isPresent()));
  }
}
