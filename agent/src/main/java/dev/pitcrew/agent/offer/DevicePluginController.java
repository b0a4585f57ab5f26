package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.mps.DaemonHealth;
import dev.pitcrew.agent.mps.MpsState;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.plugin.DevicePlugins;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// Offers the GPUs to the kubelet, under the configuration in force.
public final class DevicePluginController implements Controller<DevicePluginController.Input> {
  /// A file may have gone.
  private static final Duration UNTIL_OFFERED_AGAIN = Duration.ofSeconds(30);

  /// A device file may be a moment late after the driver, a folder that was full may have room.
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private static final String WITHOUT_HOOK = "the CDI hook cannot run on the host";

  private static final DaemonHealth UNKNOWN_DAEMONS =
      plan -> plan.unknown("its MPS control daemon has not been looked at yet");

  private final AgentContext context;
  private final DevicePlugins plugins;
  private final Reports reports;
  private final InstalledHook hook;
  private Optional<Basis> basis = Optional.empty();
  private Optional<Seen> offered = Optional.empty();
  private OfferReport last = OfferReport.NOTHING;
  private volatile DaemonHealth daemons = UNKNOWN_DAEMONS;
  private final AtomicBoolean registrationHasChanged = new AtomicBoolean();

  /// @param plugin the configuration in force; empty where nothing is to be offered
  /// @param makesNodes whether the agent makes the device nodes
  /// @param snapshot the GPUs, some of them withheld
  /// @param claimed the UUIDs of those that claims allocate
  /// @param counted the names of the resources that the Node counts, be it as 0
  /// @param withheld the UUIDs of the GPUs that are withheld
  public record Input(
      Optional<AgentConfig> plugin,
      String driverFolder,
      boolean makesNodes,
      NodeSnapshot snapshot,
      Set<String> claimed,
      Set<String> counted,
      Set<String> withheld,
      Optional<DeviceNodeController.View> nodes,
      Optional<MpsState> mps) {}

  /// @param offers what was reported to the kubelet
  /// @param withheld the UUIDs of the GPUs that were reported to it as withheld
  public record Reports(Consumer<OfferReport> offers, Consumer<Set<String>> withheld) {}

  public DevicePluginController(
      AgentContext context, DevicePlugins plugins, Reports reports, InstalledHook hook) {
    this.context = context;
    this.hook = hook;
    this.plugins = plugins;
    this.reports = reports;
  }

  /// To be called when the kubelet accepts or drops a registration; the next round reports it.
  public void registrationChanged() {
    registrationHasChanged.set(true);
  }

  /// What an offer is made of.
  private record Seen(
      NodeSnapshot snapshot,
      Set<String> claimed,
      Set<String> counted,
      Optional<DeviceNodeController.View> nodes,
      Optional<MpsState> mps) {}

  /// What an offer is made under.
  private record Basis(
      AgentConfig config, String driverFolder, boolean hasNodesMade, NodeOffer offer) {
    boolean isFor(AgentConfig other, Input input) {
      return config.equals(other)
          && driverFolder.equals(input.driverFolder())
          && hasNodesMade == input.makesNodes();
    }
  }

  @Override
  public Duration reconcile(Input input) throws InterruptedException {
    if (input.plugin().isEmpty()) {
      withdraw();
      return RESYNC;
    }
    CdiHook program = hook.now();
    AgentConfig config = program.in(input.plugin().get());
    Optional<MpsState> mps = input.mps().filter(_ -> config.sharesByMps());
    if (config.sharesByMps() && mps.isEmpty()) {
      // A starting agent must not report devices unhealthy before it has checked their daemons.
      return RESYNC;
    }
    daemons = mps.<DaemonHealth>map(view -> view).orElse(UNKNOWN_DAEMONS);
    offer(
        config,
        input,
        new Seen(
            withoutHook(input.snapshot(), config, program),
            input.claimed(),
            input.counted(),
            input.nodes(),
            mps));
    reports.withheld().accept(input.withheld());
    return last.isIncomplete() ? UNTIL_TRIED_AGAIN : UNTIL_OFFERED_AGAIN;
  }

  /// No pod is placed whose containers could not start. The resources stay, as do pods that run:
  /// the hook is called at a start only.
  private NodeSnapshot withoutHook(NodeSnapshot snapshot, AgentConfig config, CdiHook program) {
    boolean isMissing = program.problem().isPresent() && CdiHook.isNeeded(context.host(), config);
    return isMissing ? snapshot.withholdingAll(WITHOUT_HOOK) : snapshot;
  }

  private void offer(AgentConfig config, Input input, Seen seen) throws InterruptedException {
    if (basis.filter(former -> former.isFor(config, input)).isEmpty()) {
      String folder = input.driverFolder();
      var places = OfferPlaces.of(context, folder).withNodesMade(input.makesNodes());
      var next = new NodeOffer(config, places, plugins, plan -> daemons.down(plan));
      basis = Optional.of(new Basis(config, folder, input.makesNodes(), next));
      offered = Optional.empty();
    }
    NodeOffer offer = basis.get().offer();
    boolean isTheSame = offered.filter(seen::equals).isPresent();
    boolean isAboutRegistration = registrationHasChanged.getAndSet(false);
    if (!isTheSame) {
      publish(offer.offer(seen.snapshot(), seen.claimed(), seen.counted()));
    } else {
      publish(
          isAboutRegistration
              ? offer.report()
              : offer.refresh(seen.snapshot(), seen.claimed(), seen.counted()));
    }
    offered = Optional.of(seen);
  }

  private void withdraw() throws InterruptedException {
    plugins.publish(List.of());
    basis = Optional.empty();
    offered = Optional.empty();
    publish(OfferReport.NOTHING);
  }

  private void publish(OfferReport report) {
    last = report;
    reports.offers().accept(report);
  }
}
