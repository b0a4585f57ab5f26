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

  private final AgentPlace place;
  private final Board board;
  private final DevicePlugins plugins;
  private final ApiServer server;
  private final Events events;
  private final ClusterWatch cluster;
  private final HostWatch host;
  private final Rehearsal rehearsal;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private volatile boolean acts;
  private Optional<ConcernLoop> rehearsing = Optional.empty();

  private final AtomicReference<Optional<Offering>> offering =
      new AtomicReference<>(Optional.empty());

  private final AtomicReference<Optional<ConcernLoop>> sharing =
      new AtomicReference<>(Optional.empty());

  private volatile Optional<NvmlUse> use = Optional.empty();
  private Optional<RuntimeLoop> runtime = Optional.empty();

  private record RuntimeLoop(SetUpRuntime concern, ConcernLoop loop) {}

  private Optional<Serving> serving = Optional.empty();

  private record Serving(ServeContainers concern, ConcernLoop loop) {}

  private Optional<Marks> marks = Optional.empty();

  private record Marks(MarkNode concern, ConcernLoop loop) {}

  private Optional<DeviceNodes> nodes = Optional.empty();

  private record DeviceNodes(KeepDeviceNodes concern, ConcernLoop loop) {}

  private record Offering(OfferDevices concern, ConcernLoop loop) {}

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
  private AgentProcess(AgentPlace place) throws IOException {
    this.place = place;
    this.board =
        new Board(() -> remembered(place), now -> Conclusion.of(now, place.identity().namespace()));
    this.plugins = with(new DevicePlugins(place.folders().kubelet(), this::registrationChanged));
    this.server = with(ApiServer.of(place.credentials()));
    this.events = with(Events.start(server, place.identity().pod(), place.clock()));
    this.rehearsal = new Rehearsal(place);
    this.cluster = with(ClusterWatch.start(server, place.identity(), board));
    this.host = with(HostWatch.start(place.host(), board));
  }

  private static Situation remembered(AgentPlace place) {
    return RememberSettings.recalled(new StateFolder(place.folders().state()))
        .map(Situation.UNKNOWN::with)
        .orElse(Situation.UNKNOWN);
  }

  /// Starts to look, with what the last agent of this node knew, so that a node goes on without its
  /// API server.
  public static AgentProcess look(AgentPlace place) throws IOException {
    return new AgentProcess(place);
  }

  /// Makes ready for a quick start of [#act], while another agent acts.
  public void prepare() {
    rehearsing = Optional.of(ConcernLoop.start("rehearsal", board, rehearsal));
  }

  /// From now on this agent is the active one of its node. Its state is read again: another agent
  /// may have written it meanwhile. What pods wait for comes first, since a start has work for more
  /// processors than a node has to spare.
  public void act() {
    rehearsing.ifPresent(ConcernLoop::close);
    acts = true;
    var state = new StateFolder(place.folders().state());
    var memory = new HealthMemory(state, place.host());
    var driver = with(new FollowDriver(place, board, memory, host::hint));
    use = Optional.of(driver.use());
    concern("driver", driver);
    var deviceNodes = new KeepDeviceNodes(place, board);
    ConcernLoop nodes = concern("device-nodes", deviceNodes);
    this.nodes = Optional.of(new DeviceNodes(deviceNodes, nodes));
    var mig = new DivideGpus(place, board, driver, MigLimits.USUAL, HostShell.of(place.host()));
    var hook = new InstalledHook(() -> CdiHook.installed(place), board);
    var offer = new OfferDevices(place, plugins, board, hook);
    offering.set(Optional.of(new Offering(offer, concern("offer", offer))));
    var mps = with(new ShareByMps(place, state, board, this::daemonsChanged));
    sharing.set(Optional.of(concern("mps", mps)));
    concern("labels", new LabelNode(place, server));
    concern("watches", cluster::follow);
    var firstOffer = new FirstOffer();
    concern("first-offer", firstOffer);
    firstOffer.await(AT_MOST);
    var containers = with(new ServeContainers(place, board, events, hook));
    serving = Optional.of(new Serving(containers, concern("containers", containers)));
    var runtime = new SetUpRuntime(place, state, board);
    ConcernLoop runtimeLoop = concern("runtime", runtime);
    this.runtime = Optional.of(new RuntimeLoop(runtime, runtimeLoop));
    var report = new LatestReport(place);
    concern("status", new ReportGpuNode(place, server, events, board, report));
    var marks = new MarkNode(place, server, report);
    this.marks = Optional.of(new Marks(marks, concern("marks", marks)));
    concern("holders", new TellHolders(place, state, events));
    concern("mig", mig);
    concern("resets", new ResetGpus(place, board, driver, events, report));
    concern("cuda", with(new CheckCuda(place, board, driver, state)));
    concern("digest", new CarryDigest(place.host()));
    concern("node-status", with(new ServeNodeStatus(place)));
    concern("metrics", with(new ServeMetrics(place, server, driver.use())));
    ConcernLoop validation = concern("validation", new ValidateNode(place, board));
    with(
        ValidateNode.signs(
            place,
            () -> {
              host.hint();
              nodes.wake();
              validation.wake();
              runtimeLoop.wake();
            }));
    concern("log", new TellSettings());
    concern("memory", new RememberSettings(state, board));
    concern("health", new RememberHealth(memory, board));
  }

  /// Before an active agent ends: where no other agent follows, it removes what only an agent can
  /// remove. A node must not keep runtime handlers that no agent maintains, nor a taint that no
  /// agent removes.
  public void leave() throws InterruptedException {
    if (runtime.isEmpty()
        || marks.isEmpty()
        || nodes.isEmpty()
        || !Departure.isUnderWay(
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
    Situation now = board.now();
    return use.isEmpty() || now.snapshot().isEmpty() || now.settings().isEmpty()
        ? Optional.empty()
        : Optional.of(known(now, now.snapshot().get(), now.settings().get(), use.get()));
  }

  private Known known(Situation now, NodeSnapshot snapshot, Settings settings, NvmlUse counted) {
    boolean answers =
        snapshot instanceof NodeSnapshot.WithDriver(var gpus, _, var silent, _)
            && gpus.unanswered().isEmpty()
            && gpus.inventory().unreadable().isEmpty()
            && silent.isEmpty();
    return new Known(
        snapshot,
        settings.driverFolder(),
        DriverPlaces.onHost(place, settings),
        answers && now.driverIsWanted().isEmpty(),
        counted);
  }

  /// All that it knows now.
  Situation situation() {
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
    sharing.get().ifPresent(ConcernLoop::wake);
  }

  private ConcernLoop concern(String name, Concern concern) {
    return with(ConcernLoop.start(name, board, concern));
  }

  private <T extends AutoCloseable> T with(T part) {
    parts.push(part);
    return part;
  }

  /// Ends the concerns before what they use. Labels and allocated devices stay as they are.
  @Override
  public void close() {
    rehearsing.ifPresent(ConcernLoop::close);
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
