// Long because it is the one list of all that runs on a node.
package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ControllerLoop;
import dev.pitcrew.agent.cuda.CudaController;
import dev.pitcrew.agent.dra.DomainController;
import dev.pitcrew.agent.dra.DraController;
import dev.pitcrew.agent.dra.DraMetrics;
import dev.pitcrew.agent.dra.slices.SliceController;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.gpu.DigestMigration;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.gpu.HealthController;
import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.labels.LabelController;
import dev.pitcrew.agent.metrics.MetricsController;
import dev.pitcrew.agent.mig.MigController;
import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.mps.MpsController;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nodestatus.NodeStatusController;
import dev.pitcrew.agent.nri.NriController;
import dev.pitcrew.agent.offer.DevicePluginController;
import dev.pitcrew.agent.offer.InitialSync;
import dev.pitcrew.agent.offer.WarmUp;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.runtime.RuntimeController;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.agent.status.GpuNodeController;
import dev.pitcrew.agent.status.ReportCache;
import dev.pitcrew.agent.unhealthy.HealthNotifier;
import dev.pitcrew.agent.unhealthy.ResetController;
import dev.pitcrew.agent.unhealthy.TaintController;
import dev.pitcrew.agent.validation.ValidationController;
import dev.pitcrew.agent.watch.ClusterWatch;
import dev.pitcrew.agent.watch.HostWatch;
import dev.pitcrew.core.web.ReadinessCheck;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.DomainDevice;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The watches, the state and the controllers of one node, from start to end. In two steps, for an
/// agent that waits for another one to end: looking changes nothing on the node or in the cluster,
/// acting does.
public final class AgentProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentProcess.class);

  /// How long the rest waits for the first offer, which a driver that hangs may delay.
  private static final Duration AT_MOST = Duration.ofSeconds(1);

  private final AgentContext context;
  private final NodeStore store;
  private final DevicePlugins plugins;
  private final ApiServer server;
  private final Events events;
  private final ClusterWatch cluster;
  private final HostWatch host;
  private final WarmUp warmUp;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private volatile boolean acts;
  private Optional<ControllerLoop> warmingUp = Optional.empty();

  private final AtomicReference<Optional<Running<DevicePluginController>>> offering =
      new AtomicReference<>(Optional.empty());

  private final AtomicReference<Optional<ControllerLoop>> sharing =
      new AtomicReference<>(Optional.empty());

  private final AtomicReference<Optional<ControllerLoop>> serving =
      new AtomicReference<>(Optional.empty());

  private final AtomicReference<Optional<ControllerLoop>> publishing =
      new AtomicReference<>(Optional.empty());
  private final AtomicReference<Optional<ControllerLoop>> domains =
      new AtomicReference<>(Optional.empty());
  private final AtomicReference<Optional<ControllerLoop>> publishingDomains =
      new AtomicReference<>(Optional.empty());

  private volatile Optional<NvmlUse> use = Optional.empty();
  private Optional<Running<DeviceNodeController>> deviceNodes = Optional.empty();
  private Optional<Running<NriController>> containers = Optional.empty();
  private Optional<Running<RuntimeController>> runtime = Optional.empty();
  private Optional<Running<TaintController>> taints = Optional.empty();

  private record Running<C>(C controller, ControllerLoop loop) {}

  /// What commands in this process may use.
  ///
  /// @param driverFolder where driver containers put the driver on the host
  /// @param driverOnHost the driver root as the host names it; empty where no driver is
  /// @param lendsDriver whether they may open NVML beside the agent: it has it open itself, and all
  ///   GPUs answer
  /// @param use counts who has NVML open
  public record Known(
      NodeSnapshot snapshot,
      String driverFolder,
      Optional<String> driverOnHost,
      boolean lendsDriver,
      NvmlUse use) {}

  /// What is made first ends last. The kubelet's devices do: nothing is missing to it before
  /// another agent may follow.
  private AgentProcess(AgentContext context) throws IOException {
    this.context = context;
    this.store =
        new NodeStore(
            () -> remembered(context),
            now -> SettingsResolver.of(now, context.identity().namespace()));
    this.plugins = with(new DevicePlugins(context.folders().kubelet(), this::registrationChanged));
    this.server = with(ApiServer.of(context.credentials()));
    this.events = with(Events.start(server, context.identity().pod(), context.clock()));
    this.warmUp = new WarmUp(context);
    this.cluster = with(ClusterWatch.start(server, context.identity(), store::cluster));
    this.host = with(HostWatch.start(context.host(), store::host));
  }

  private static NodeState remembered(AgentContext context) {
    return SettingsStore.recalled(new StateFolder(context.folders().state()))
        .map(NodeState.UNKNOWN::with)
        .orElse(NodeState.UNKNOWN)
        .with(DraController.recalled(new StateFolder(context.folders().state())));
  }

  /// Starts to look, with what the last agent of this node knew, so that a node goes on without its
  /// API server.
  public static AgentProcess look(AgentContext context) throws IOException {
    return new AgentProcess(context);
  }

  /// Makes ready for a quick start of [#act], while another agent acts.
  public void prepare() {
    warmingUp = Optional.of(store.run("warm-up", Projections::warmUp, warmUp));
  }

  /// From now on this agent is the active one of its node. Its state is read again: another agent
  /// may have written it meanwhile. What pods wait for comes first, since a start has work for more
  /// processors than a node has to spare.
  public void act() {
    warmingUp.ifPresent(ControllerLoop::close);
    acts = true;
    var state = new StateFolder(context.folders().state());
    var health = new HealthStore(state, context.host());
    var driver = with(new DriverController(context, health, this::updateGpus));
    use = Optional.of(driver.use());
    run("driver", Projections::driver, driver);
    var nodes =
        run(
            "device-nodes",
            Projections::deviceNodes,
            new DeviceNodeController(context, store::deviceNodes));
    deviceNodes = Optional.of(nodes);
    var mig =
        new MigController(
            context, store::mig, driver, MigLimits.USUAL, HostShell.of(context.host()));
    var hook = new InstalledHook(() -> CdiHook.installed(context), store::hook);
    var offers = new DevicePluginController.Reports(store::offer, store::withheld);
    offering.set(
        Optional.of(
            run(
                "offer",
                Projections::devicePlugin,
                new DevicePluginController(context, plugins, offers, hook))));
    var draMetrics = new DraMetrics(context.identity().node());
    var claims =
        new DraController.Reports(
            store::dra,
            store::file,
            this::claimsChanged,
            it -> events.emit(it, it.regarding().uid()));
    serving.set(
        Optional.of(
            run(
                    "dra",
                    Projections::dra,
                    with(
                        new DraController(
                            context, server, state, hook, driver, draMetrics, claims)))
                .loop()));
    publishing.set(
        Optional.of(
            run(
                    "slices",
                    Projections::slices,
                    with(
                        new SliceController(
                            server,
                            () -> followSlices(ClaimDevice.DRIVER, publishing),
                            context.clock(),
                            store::slices)))
                .loop()));
    actForDomains(state, hook, draMetrics);
    var daemons = new MpsController.Reports(store::mps, store::file);
    var mps = with(new MpsController(context, state, daemons, this::daemonsChanged));
    sharing.set(Optional.of(run("mps", Projections::mps, mps).loop()));
    run("labels", Projections::labels, new LabelController(context, server));
    with(store.run("watches", Projections::watches, cluster::follow));
    var initialSync = new InitialSync();
    run("initial-sync", Projections::initialSync, initialSync);
    initialSync.await(AT_MOST);
    var nri = with(new NriController(context, store::nri, this::warnOfSkipped, hook));
    containers = Optional.of(run("containers", Projections::nri, nri));
    var setup =
        run("runtime", Projections::runtime, new RuntimeController(context, state, store::runtime));
    runtime = Optional.of(setup);
    var report = new ReportCache(context);
    run(
        "status",
        Projections::gpuNode,
        new GpuNodeController(context, server, events, store::gpuNode, report));
    taints =
        Optional.of(
            run("taints", Projections::taints, new TaintController(context, server, report)));
    run("health-events", Projections::unhealthy, new HealthNotifier(context, state, events));
    run("mig", Projections::mig, mig);
    run(
        "resets",
        Projections::resets,
        new ResetController(context, store::resets, driver, events, report));
    run("cuda", Projections::cuda, with(new CudaController(context, store::cuda, driver, state)));
    run("digest", Projections::digest, new DigestMigration(context.host()));
    run(
        "node-status",
        Projections::nodeStatus,
        with(new NodeStatusController(context, draMetrics::write)));
    run(
        "metrics",
        Projections::metrics,
        with(new MetricsController(context, server, driver.use())));
    var validation =
        run(
            "validation",
            Projections::validation,
            new ValidationController(context, store::validation));
    with(
        ValidationController.signs(
            context,
            () -> {
              host.hint();
              nodes.loop().wake();
              validation.loop().wake();
              setup.loop().wake();
            }));
    run("log", NodeState::settings, new SettingsLog());
    run("settings", NodeState::decision, new SettingsStore(state, store::file));
    run("health", NodeState::loaded, new HealthController(health, store::file));
  }

  private void updateGpus(NodeSnapshot snapshot) {
    store.gpus(snapshot);
    host.hint();
  }

  private void warnOfSkipped(String why) {
    store
        .now()
        .cluster()
        .nodeObject()
        .map(ObjectEvent.Subject::of)
        .ifPresent(node ->
            events.emit(new ObjectEvent(node, ObjectEvent.Type.WARNING, "DevicesNotGiven", why)));
  }

  /// Before an active agent ends: where no other agent follows, it removes what only an agent can
  /// remove. A node must not keep runtime handlers that no agent maintains, nor a taint that no
  /// agent removes.
  public void leave() throws InterruptedException {
    if (runtime.isEmpty()
        || taints.isEmpty()
        || deviceNodes.isEmpty()
        || !UninstallDetector.isUnderWay(
            server, context.identity(), () -> store.now().cluster().isDocumentGone())) {
      return;
    }
    taints.get().loop().close();
    runtime.get().loop().close();
    deviceNodes.get().loop().close();
    taints.get().controller().removeAll(true);
    runtime.get().controller().leave();
    store.now().settings().ifPresent(it -> deviceNodes.get().controller().leave(it.driverFolder()));
    removeSpecifications();
  }

  /// No pod may be given a device whose specification goes. Pods that run keep theirs.
  private void removeSpecifications() throws InterruptedException {
    offering.get().ifPresent(now -> now.loop().close());
    containers.ifPresent(now -> {
      now.loop().close();
      now.controller().close();
    });
    plugins.publish(List.of());
    CdiHook.removeAll(context).forEach(why -> LOG.atWarn().log(why));
  }

  /// What must hold before the agent is ready. One that waits is so as soon as it could take over:
  /// a rolling update ends the old agent only then, and not at all where the new one cannot work.
  public List<ReadinessCheck> checks() {
    return List.of(
        new ReadinessCheck(
            "settings",
            () ->
                unless(
                    store.now().decision().isPresent(),
                    "neither the API server nor the state stored on the node has provided them yet")),
        new ReadinessCheck(
            "warm-up", () -> unless(acts || warmUp.isOver(), "not ready to take over yet")),
        new ReadinessCheck(
            "node", () -> unless(!acts || store.now().snapshot().isPresent(), "not looked at yet")),
        new ReadinessCheck(
            "devices",
            () -> unless(!acts || store.now().offered().isPresent(), "not offered yet")));
  }

  /// Empty until this agent acts, and has looked at the GPUs.
  public Optional<Known> known() {
    NodeState now = store.now();
    return use.isEmpty() || now.snapshot().isEmpty() || now.settings().isEmpty()
        ? Optional.empty()
        : Optional.of(known(now, now.snapshot().get(), now.settings().get(), use.get()));
  }

  private Known known(NodeState now, NodeSnapshot snapshot, Settings settings, NvmlUse counted) {
    boolean answers =
        snapshot instanceof NodeSnapshot.WithDriver(var gpus, _, var silent, _)
            && gpus.unanswered().isEmpty()
            && gpus.inventory().unreadable().isEmpty()
            && silent.isEmpty();
    return new Known(
        snapshot,
        settings.driverFolder(),
        DriverPaths.onHost(context, settings.driverFolder()),
        answers && now.exclusiveUse().isEmpty(),
        counted);
  }

  /// All that it knows now.
  NodeState state() {
    return store.now();
  }

  private void registrationChanged() {
    offering
        .get()
        .ifPresent(now -> {
          now.controller().registrationChanged();
          now.loop().wake();
        });
  }

  private void claimsChanged() {
    serving.get().ifPresent(ControllerLoop::wake);
  }

  private void actForDomains(StateFolder state, InstalledHook hook, DraMetrics metrics) {
    var reports = new DomainController.Reports(store::domains, store::file, this::domainsChanged);
    var controller = with(new DomainController(context, server, state, hook, metrics, reports));
    domains.set(Optional.of(run("domains", Projections::domains, controller).loop()));
    publishingDomains.set(
        Optional.of(
            run(
                    "domain-slices",
                    Projections::domainSlices,
                    with(
                        new SliceController(
                            server,
                            () -> followSlices(DomainDevice.DRIVER, publishingDomains),
                            context.clock(),
                            _ -> controller.published())))
                .loop()));
  }

  private void domainsChanged() {
    domains.get().ifPresent(ControllerLoop::wake);
  }

  private NodeSlices followSlices(
      String driver, AtomicReference<Optional<ControllerLoop>> publishing) {
    return NodeSlices.follow(
        server,
        context.identity().node(),
        driver,
        () -> publishing.get().ifPresent(ControllerLoop::wake));
  }

  private void daemonsChanged() {
    sharing.get().ifPresent(ControllerLoop::wake);
  }

  private <I, C extends Controller<I>> Running<C> run(
      String name, Function<NodeState, Optional<I>> projection, C controller) {
    return new Running<>(controller, with(store.run(name, projection, controller)));
  }

  private <T extends AutoCloseable> T with(T part) {
    parts.push(part);
    return part;
  }

  /// Ends the controllers before what they use. Labels and allocated devices stay as they are.
  @Override
  public void close() {
    warmingUp.ifPresent(ControllerLoop::close);
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        LOG.atWarn().setCause(e).log("{} did not end well", part.getClass().getSimpleName());
      }
    }
  }

  private static Optional<String> unless(boolean holds, String problem) {
    return holds ? Optional.empty() : Optional.of(problem);
  }
}
