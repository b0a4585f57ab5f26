package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.runtime.HostShell;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.core.web.ReadinessCheck;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The sources, the board and the concerns of one node, from start to end. In two steps, for an
/// agent that waits for another one to end: looking changes nothing on the node or in the cluster,
/// acting does.
public final class AgentProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentProcess.class);

  /// How long the rest waits for the first offer, which a driver that hangs may delay.
  private static final Duration AT_MOST = Duration.ofSeconds(1);

  private final AgentContext place;
  private final StateStore board;
  private final DevicePlugins plugins;
  private final ApiServer server;
  private final Events events;
  private final ClusterWatch cluster;
  private final HostWatch host;
  private final WarmUp rehearsal;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private volatile boolean acts;
  private Optional<ControllerLoop> rehearsing = Optional.empty();

  private final AtomicReference<Optional<Offering>> offering =
      new AtomicReference<>(Optional.empty());

  private final AtomicReference<Optional<ControllerLoop>> sharing =
      new AtomicReference<>(Optional.empty());

  private volatile Optional<NvmlUse> use = Optional.empty();
  private Optional<RuntimeLoop> runtime = Optional.empty();

  private record RuntimeLoop(RuntimeController concern, ControllerLoop loop) {}

  private Optional<Serving> serving = Optional.empty();

  private record Serving(NriController concern, ControllerLoop loop) {}

  private Optional<Marks> marks = Optional.empty();

  private record Marks(TaintController concern, ControllerLoop loop) {}

  private Optional<DeviceNodes> nodes = Optional.empty();

  private record DeviceNodes(DeviceNodeController concern, ControllerLoop loop) {}

  private record Offering(DevicePluginController concern, ControllerLoop loop) {}

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
  private AgentProcess(AgentContext place) throws IOException {
    this.place = place;
    this.board =
        new StateStore(
            () -> remembered(place), now -> SettingsResolver.of(now, place.identity().namespace()));
    this.plugins = with(new DevicePlugins(place.folders().kubelet(), this::registrationChanged));
    this.server = with(ApiServer.of(place.credentials()));
    this.events = with(Events.start(server, place.identity().pod(), place.clock()));
    this.rehearsal = new WarmUp(place);
    this.cluster = with(ClusterWatch.start(server, place.identity(), board));
    this.host = with(HostWatch.start(place.host(), board));
  }

  private static NodeState remembered(AgentContext place) {
    return SettingsStore.recalled(new StateFolder(place.folders().state()))
        .map(NodeState.UNKNOWN::with)
        .orElse(NodeState.UNKNOWN);
  }

  /// Starts to look, with what the last agent of this node knew, so that a node goes on without its
  /// API server.
  public static AgentProcess look(AgentContext place) throws IOException {
    return new AgentProcess(place);
  }

  /// Makes ready for a quick start of [#act], while another agent acts.
  public void prepare() {
    rehearsing = Optional.of(ControllerLoop.start("rehearsal", board, rehearsal));
  }

  /// From now on this agent is the active one of its node. Its state is read again: another agent
  /// may have written it meanwhile. What pods wait for comes first, since a start has work for more
  /// processors than a node has to spare.
  public void act() {
    rehearsing.ifPresent(ControllerLoop::close);
    acts = true;
    var state = new StateFolder(place.folders().state());
    var memory = new HealthStore(state, place.host());
    var driver = with(new DriverController(place, board, memory, host::hint));
    use = Optional.of(driver.use());
    concern("driver", driver);
    var deviceNodes = new DeviceNodeController(place, board);
    ControllerLoop nodes = concern("device-nodes", deviceNodes);
    this.nodes = Optional.of(new DeviceNodes(deviceNodes, nodes));
    var mig = new MigController(place, board, driver, MigLimits.USUAL, HostShell.of(place.host()));
    var hook = new InstalledHook(() -> CdiHook.installed(place), board);
    var offer = new DevicePluginController(place, plugins, board, hook);
    offering.set(Optional.of(new Offering(offer, concern("offer", offer))));
    var mps = with(new MpsController(place, state, board, this::daemonsChanged));
    sharing.set(Optional.of(concern("mps", mps)));
    concern("labels", new LabelController(place, server));
    concern("watches", cluster::follow);
    var firstOffer = new InitialSync();
    concern("first-offer", firstOffer);
    firstOffer.await(AT_MOST);
    var containers = with(new NriController(place, board, events, hook));
    serving = Optional.of(new Serving(containers, concern("containers", containers)));
    var runtime = new RuntimeController(place, state, board);
    ControllerLoop runtimeLoop = concern("runtime", runtime);
    this.runtime = Optional.of(new RuntimeLoop(runtime, runtimeLoop));
    var report = new ReportCache(place);
    concern("status", new GpuNodeController(place, server, events, board, report));
    var marks = new TaintController(place, server, report);
    this.marks = Optional.of(new Marks(marks, concern("marks", marks)));
    concern("holders", new HealthNotifier(place, state, events));
    concern("mig", mig);
    concern("resets", new ResetController(place, board, driver, events, report));
    concern("cuda", with(new CudaController(place, board, driver, state)));
    concern("digest", new DigestMigration(place.host()));
    concern("node-status", with(new NodeStatusController(place)));
    concern("metrics", with(new MetricsController(place, server, driver.use())));
    ControllerLoop validation = concern("validation", new ValidationController(place, board));
    with(
        ValidationController.signs(
            place,
            () -> {
              host.hint();
              nodes.wake();
              validation.wake();
              runtimeLoop.wake();
            }));
    concern("log", new SettingsLog());
    concern("memory", new SettingsStore(state, board));
    concern("health", new HealthController(memory, board));
  }

  /// Before an active agent ends: where no other agent follows, it removes what only an agent can
  /// remove. A node must not keep runtime handlers that no agent maintains, nor a taint that no
  /// agent removes.
  public void leave() throws InterruptedException {
    if (runtime.isEmpty()
        || marks.isEmpty()
        || nodes.isEmpty()
        || !UninstallDetector.isUnderWay(
            server, place.identity(), () -> board.now().cluster().isDocumentGone())) {
      return;
    }
    marks.get().loop().close();
    runtime.get().loop().close();
    nodes.get().loop().close();
    marks.get().concern().takeBack(true);
    runtime.get().concern().leave();
    nodes.get().concern().leave();
    removeSpecifications();
  }

  /// No pod may be given a device whose specification goes. Pods that run keep theirs.
  private void removeSpecifications() throws InterruptedException {
    offering.get().ifPresent(now -> now.loop().close());
    serving.ifPresent(now -> {
      now.loop().close();
      now.concern().close();
    });
    plugins.publish(List.of());
    CdiHook.removeAll(place).forEach(why -> LOG.atWarn().log(why));
  }

  /// What must hold before the agent is ready. One that waits is so as soon as it could take over:
  /// a rolling update ends the old agent only then, and not at all where the new one cannot work.
  public List<ReadinessCheck> checks() {
    return List.of(
        new ReadinessCheck(
            "settings",
            () ->
                unless(
                    board.now().decision().isPresent(),
                    "neither the API server nor the state stored on the node has provided them yet")),
        new ReadinessCheck(
            "rehearsal", () -> unless(acts || rehearsal.isOver(), "not ready to take over yet")),
        new ReadinessCheck(
            "node", () -> unless(!acts || board.now().snapshot().isPresent(), "not looked at yet")),
        new ReadinessCheck(
            "devices",
            () -> unless(!acts || board.now().offered().isPresent(), "not offered yet")));
  }

  /// Empty until this agent acts, and has looked at the GPUs.
  public Optional<Known> known() {
    NodeState now = board.now();
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
        DriverPaths.onHost(place, settings),
        answers && now.driverIsWanted().isEmpty(),
        counted);
  }

  /// All that it knows now.
  NodeState situation() {
    return board.now();
  }

  private void registrationChanged() {
    offering
        .get()
        .ifPresent(now -> {
          now.concern().registrationChanged();
          now.loop().wake();
        });
  }

  private void daemonsChanged() {
    sharing.get().ifPresent(ControllerLoop::wake);
  }

  private ControllerLoop concern(String name, Controller concern) {
    return with(ControllerLoop.start(name, board, concern));
  }

  private <T extends AutoCloseable> T with(T part) {
    parts.push(part);
    return part;
  }

  /// Ends the concerns before what they use. Labels and allocated devices stay as they are.
  @Override
  public void close() {
    rehearsing.ifPresent(ControllerLoop::close);
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
