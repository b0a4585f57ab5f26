package dev.pitcrew.agent.process;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.mps.DaemonHealth;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// Offers the GPUs to the kubelet, under the configuration in force.
final class DevicePluginController implements Controller {
  /// A file may have gone.
  private static final Duration UNTIL_OFFERED_AGAIN = Duration.ofSeconds(30);

  /// A device file may be a moment late after the driver, a folder that was full may have room.
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private static final String WITHOUT_HOOK = "the CDI hook cannot run on the host";

  private static final DaemonHealth UNKNOWN_DAEMONS =
      plan -> plan.unknown("its MPS control daemon has not been looked at yet");

  private final AgentContext place;
  private final DevicePlugins plugins;
  private final StateStore board;
  private final InstalledHook hook;
  private Optional<Basis> basis = Optional.empty();
  private Optional<Seen> offered = Optional.empty();
  private volatile DaemonHealth daemons = UNKNOWN_DAEMONS;
  private final AtomicBoolean registrationHasChanged = new AtomicBoolean();

  DevicePluginController(
      AgentContext place, DevicePlugins plugins, StateStore board, InstalledHook hook) {
    this.place = place;
    this.hook = hook;
    this.plugins = plugins;
    this.board = board;
  }

  /// To be called when the kubelet accepts or drops a registration; the next round reports it.
  void registrationChanged() {
    registrationHasChanged.set(true);
  }

  /// What an offer is made of.
  private record Seen(
      NodeSnapshot snapshot, Optional<DeviceNodeController.View> nodes, Optional<MpsState> mps) {}

  /// What an offer is made under.
  private record Basis(
      AgentConfig config, String driverFolder, boolean hasNodesMade, NodeOffer offer) {
    boolean isFor(AgentConfig other, Settings settings) {
      return config.equals(other)
          && driverFolder.equals(settings.driverFolder())
          && hasNodesMade == settings.deviceNodes().makesNodes();
    }
  }

  @Override
  public Duration act(NodeState situation) throws InterruptedException {
    if (situation.settings().isEmpty()
        || situation.snapshot().isEmpty()
        || situation.waitsForDeviceNodes()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    Optional<InForce> inForce =
        settings.plugin().filter(_ -> isWanted(settings.state(NodeFunction.DEVICE_PLUGIN)));
    if (inForce.isEmpty()) {
      withdraw();
      return SETTLED;
    }
    CdiHook program = hook.now();
    AgentConfig config = program.in(inForce.get().config());
    Optional<MpsState> mps = situation.mps().filter(_ -> config.sharesByMps());
    if (config.sharesByMps() && mps.isEmpty()) {
      // A starting agent must not report devices unhealthy before it has checked their daemons.
      return SETTLED;
    }
    daemons = mps.<DaemonHealth>map(view -> view).orElse(UNKNOWN_DAEMONS);
    offer(
        config,
        settings,
        new Seen(
            withoutHook(situation.offer().orElseThrow(), config, program),
            situation.nodesOfSnapshot(),
            mps));
    board.change(now -> now.withWithheld(situation.kept().keySet()));
    return board.now().offered().filter(OfferReport::isIncomplete).isPresent()
        ? UNTIL_TRIED_AGAIN
        : UNTIL_OFFERED_AGAIN;
  }

  /// No pod is placed whose containers could not start. The resources stay, as do pods that run:
  /// the hook is called at a start only.
  private NodeSnapshot withoutHook(NodeSnapshot snapshot, AgentConfig config, CdiHook program) {
    boolean isMissing = program.trouble().isPresent() && CdiHook.isNeeded(place.host(), config);
    return isMissing ? snapshot.withholdingAll(WITHOUT_HOOK) : snapshot;
  }

  /// A paused function keeps its resources, with no device in order: pods that hold one keep it,
  /// and none is started that could not open it.
  private static boolean isWanted(FunctionState state) {
    return switch (state) {
      case FunctionState.On(), FunctionState.Paused(_) -> true;
      case FunctionState.Off(_) -> false;
    };
  }

  private void offer(AgentConfig config, Settings settings, Seen seen) throws InterruptedException {
    if (basis.filter(last -> last.isFor(config, settings)).isEmpty()) {
      String folder = settings.driverFolder();
      boolean hasNodesMade = settings.deviceNodes().makesNodes();
      var places = DriverPaths.offerPlaces(place, folder).withNodesMade(hasNodesMade);
      var next = new NodeOffer(config, places, plugins, plan -> daemons.down(plan));
      basis = Optional.of(new Basis(config, folder, hasNodesMade, next));
      offered = Optional.empty();
    }
    NodeOffer offer = basis.get().offer();
    boolean isTheSame = offered.filter(seen::equals).isPresent();
    boolean isAboutRegistration = registrationHasChanged.getAndSet(false);
    if (!isTheSame) {
      tell(offer.offer(seen.snapshot()));
    } else {
      tell(isAboutRegistration ? offer.report() : offer.refresh(seen.snapshot()));
    }
    offered = Optional.of(seen);
  }

  private void withdraw() throws InterruptedException {
    plugins.publish(List.of());
    basis = Optional.empty();
    offered = Optional.empty();
    tell(OfferReport.NOTHING);
  }

  private void tell(OfferReport report) {
    board.change(now -> now.with(report));
  }
}
