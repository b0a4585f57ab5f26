// Long because it is one state machine: all ways out of a change have to be seen side by side.
package dev.pitcrew.agent.mig;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.mig.change.BusyPolicy;
import dev.pitcrew.agent.mig.change.ChangeOptions;
import dev.pitcrew.agent.mig.change.ChangeOutcome;
import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.mig.change.MigChange;
import dev.pitcrew.agent.mig.change.OwnAccess;
import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.InvalidLayout;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.MigSettings;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.mig.MigNode;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Partitions;
import dev.pitcrew.hardware.nvml.Answer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Partitions the GPUs by MIG as the label of the Node specifies. While a GPU is changed, neither
/// it nor a part of it is allocated; all others stay as they are offered. What is withheld exists
/// only in this process: the successor of a killed agent starts with nothing paused, and completes
/// an unfinished change before it offers the GPU.
public final class MigController implements Controller<MigController.Input> {

  /// Neither the kubelet nor NVML reports when a user of a GPU is gone.
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

  private static final Duration BETWEEN_LATE_LOOKS = Duration.ofSeconds(10);

  private final AgentContext context;
  private final MigReporter reporter;
  private final DriverController driver;
  private final MigLimits limits;
  private final Journal journal;
  private final GpuConsumers holders;
  private final MigReboot reboot;
  private final HostServices services;
  private Optional<Concluded> concluded = Optional.empty();
  private Optional<MigAttempt> attempt = Optional.empty();
  private Optional<Instant> settlesUntil = Optional.empty();

  /// Since when no pod or process blocks the change.
  private Optional<Instant> freeSince = Optional.empty();

  private final MigRetry retry = new MigRetry();

  /// @param until when it is to be looked at again; empty where nothing but another basis asks for
  ///   it
  private record Concluded(MigObservation.Basis basis, Optional<Instant> until) {}

  /// @param wanted empty until the settings and the Node are known
  public record Input(Optional<Wanted> wanted) {}

  /// @param label the value of `nvidia.com/mig.config`, and of its state
  /// @param configMaps those that were looked for, by name
  /// @param gpus empty while the driver does not answer
  /// @param withheld the GPUs that the kubelet knows to be withheld, by UUID
  /// @param byClaims the GPUs whose MIG devices are made for claims, by UUID
  /// @param gpuNode as the API server has it
  public record Wanted(
      Settings settings,
      String label,
      String stateLabel,
      Map<String, WatchedObject> configMaps,
      Optional<KnownGpus> gpus,
      Set<String> withheld,
      Set<String> byClaims,
      Optional<JsonNode> gpuNode) {}

  /// The GPUs of an unfinished change are withheld from the start.
  ///
  /// @param shell runs programs of the host
  public MigController(
      AgentContext context,
      Consumer<MigReport> reports,
      DriverController driver,
      MigLimits limits,
      HostShell shell) {
    this.context = context;
    this.driver = driver;
    this.limits = limits;
    this.journal = new Journal(context.folders().state());
    this.reporter = new MigReporter(journal, reports);
    this.reboot = new MigReboot(context.host(), context.folders().state(), shell);
    this.services = new HostServices(context.folders().state(), shell);
    this.holders = new GpuConsumers(new HoldingPods(context.host()));
    if (!journal.unfinished().isEmpty()) {
      this.reporter.unknown("a change was not finished");
    }
  }

  @Override
  public Duration reconcile(Input input) {
    services.start(now());
    return input.wanted().map(this::reconcile).orElse(RESYNC);
  }

  private Duration reconcile(Wanted wanted) {
    return switch (wanted.settings().state(NodeFunction.MIG)) {
      case FunctionState.Off(_) -> leave(Optional.empty());
      case FunctionState.Paused(_) -> leave(reporter.now().facts());
      case FunctionState.On() -> divide(wanted);
    };
  }

  private Duration leave(Optional<MigFacts> facts) {
    attempt = Optional.empty();
    reboot.end();
    freeSince = Optional.empty();
    concluded = Optional.empty();
    reporter.leave(facts);
    return RESYNC;
  }

  private Duration divide(Wanted wanted) {
    MigSettings settings = wanted.settings().mig();
    String namespace = context.identity().namespace();
    MigLayoutChoice choice =
        MigLayoutChoice.of(wanted.label(), wanted.configMaps(), settings, namespace);
    if (choice instanceof MigLayoutChoice.Nothing) {
      return leave(Optional.empty());
    }
    HostClients clients = HostClients.of(wanted.configMaps(), settings, namespace);
    boolean isKnown =
        !(choice instanceof MigLayoutChoice.Unknown) && !(clients instanceof HostClients.Unknown);
    if (!isKnown || wanted.gpus().isEmpty()) {
      concluded = Optional.empty();
      reporter.unknown("the GPUs were not looked at yet");
      return RESYNC;
    }
    KnownGpus gpus = wanted.gpus().get();
    Inventory inventory = gpus.inventory();
    var basis =
        new MigObservation.Basis(
            choice,
            clients,
            settings.busy(),
            MigAttempt.layouts(inventory),
            MigAttempt.silent(gpus),
            wanted.byClaims());
    Optional<Duration> rest =
        concluded.filter(it -> it.basis().equals(basis)).map(it -> untilDue(it.until()));
    return rest.filter(Duration::isPositive)
        .or(() -> driver.alone(() -> look(MigObservation.of(wanted, inventory, basis))))
        .orElse(MigAttempt.SOON);
  }

  private Duration untilDue(Optional<Instant> due) {
    return due.map(it -> Duration.between(now(), it)).orElse(RESYNC);
  }

  private Duration look(MigObservation sight) {
    Answer<MigNode> read;
    try (var access = access(sight)) {
      read = access.gpus().flatMap(Partitions::read);
    }
    if (!(read instanceof Answer.Value<MigNode>(var node))) {
      return failed(sight, "DriverNotReady", "how the GPUs are divided: " + read.reason());
    }
    DesiredLayout wish =
        LayoutWithoutClaims.of(sight.choice().wish(node.gpus()), sight.basis().byClaims());
    List<String> refusals = wish.refusals(node);
    List<GpuPlan.Steps> steps = refusals.isEmpty() ? wish.steps(node.gpus()) : List.of();
    if (!steps.isEmpty() || !journal.unfinished().isEmpty()) {
      return begin(sight, wish, steps);
    }
    if (!refusals.isEmpty()) {
      return failed(
          sight,
          wish instanceof InvalidLayout ? "ConfigurationInvalid" : "LayoutImpossible",
          String.join("; ", refusals) + "; the GPUs stay as they are");
    }
    return settled(sight, wish, node);
  }

  /// Not before the snapshot shows the new devices: a removed device must not be allocated.
  private Duration settled(MigObservation sight, DesiredLayout wish, MigNode node) {
    boolean isShown =
        settlesUntil.filter(now()::isBefore).isEmpty()
            || MigAttempt.isShown(node, sight.inventory());
    if (!isShown) {
      driver.look();
      return MigAttempt.SOON;
    }
    settlesUntil = Optional.empty();
    Optional<String> down = services.start(now());
    if (down.isPresent()) {
      String message = "the GPUs are divided as %s says; services of the host do not run: ";
      return failed(sight, "HostServicesDown", message + down.get());
    }
    List<String> byClaims = LayoutWithoutClaims.left(wish, node.gpus());
    if (!byClaims.isEmpty()) {
      String message = String.join("; ", byClaims) + "; all other GPUs are divided as %s says";
      conclude(sight, sight.facts(Phase.FAILED, "DividedByClaims", message), Optional.empty());
      return RESYNC;
    }
    List<String> unread = MigAttempt.unread(wish, node);
    if (unread.isEmpty()) {
      return succeeded(sight);
    }
    // The snapshot shows when it answers again.
    String message = String.join("; ", unread) + "; all other GPUs are as they should be";
    conclude(sight, sight.facts(Phase.FAILED, "GpuUnreadable", message), Optional.empty());
    return RESYNC;
  }

  private Duration succeeded(MigObservation sight) {
    retry.succeeded();
    reboot.forget();
    conclude(
        sight,
        sight.facts(Phase.SUCCESS, "Configured", "the GPUs are divided as %s says"),
        Optional.empty());
    return RESYNC;
  }

  private Duration begin(MigObservation sight, DesiredLayout wish, List<GpuPlan.Steps> steps) {
    if (sight.basis().clients() instanceof HostClients.Wrong(var reason)
        && journal.unfinished().isEmpty()
        && isDriverOfHost(sight)) {
      String message = reason + "; the GPUs stay as they are";
      conclude(sight, sight.facts(Phase.FAILED, "ConfigurationInvalid", message), Optional.empty());
      return RESYNC;
    }
    MigLayoutChoice choice = sight.choice();
    Optional<Duration> rest = retry.rest(choice, now());
    if (rest.isPresent()) {
      // What failed has left other instances than there were, which is no change.
      return rest.get();
    }
    MigAttempt now =
        attempt
            .filter(it -> it.choice().equals(choice))
            .orElseGet(() -> new MigAttempt(choice, now().truncatedTo(ChronoUnit.SECONDS)));
    attempt = Optional.of(now);
    reboot.keepFor(choice);
    Set<String> gpus = new HashSet<>(journal.unfinished());
    steps.forEach(plan -> gpus.add(plan.gpu().uuid()));
    if (reboot.isAwaited()) {
      // A reboot takes all GPUs from all pods.
      sight.inventory().gpus().forEach(gpu -> gpus.add(gpu.uuid()));
    }
    GpuConsumers.InTheWay inTheWay =
        reboot.isAwaited()
            ? holders.ofAny(sight.inventory())
            : holders.of(steps, sight.inventory());
    if (!inTheWay.isEmpty()) {
      freeSince = Optional.empty();
      return busy(sight, now.since().plus(limits.forPods()), inTheWay, gpus);
    }
    freeSince = freeSince.or(() -> Optional.of(now()));
    return reboot.isAwaited()
        ? reboot(sight, MigReboot.modes(steps), gpus)
        : changeOnceReady(sight, wish, steps, gpus);
  }

  private Duration changeOnceReady(
      MigObservation sight, DesiredLayout wish, List<GpuPlan.Steps> steps, Set<String> gpus) {
    boolean isAnnounced = sight.isWithheldByKubelet(gpus) || isLate();
    boolean needsDriver = steps.isEmpty() || steps.stream().anyMatch(GpuPlan.Steps::changesMode);
    pending(
        sight, "Changing", "about to divide the GPUs as %s says", gpus, isAnnounced && needsDriver);
    // The agent's own handles keep a GPU from changing its mode and from being reset. Where one of
    // its calls hangs, the driver may do it all the same, or say why not.
    boolean hasDriver = !needsDriver || driver.use().isOver() || isLate();
    return isAnnounced && hasDriver
        ? change(sight, wish, MigReboot.modes(steps), gpus)
        : MigAttempt.SOON;
  }

  /// The reboot is announced first. Without confirmation it proceeds after `forReadiness`.
  private Duration reboot(MigObservation sight, String modes, Set<String> gpus) {
    String message =
        reboot.reason()
            + "; the node reboots for it, as ClusterPolicy spec.migManager.env WITH_REBOOT has it";
    reporter.pending(sight.facts(Phase.REBOOTING, MigReboot.REASON, message), gpus, false);
    if (reboot.asked().isPresent()) {
      boolean isVain = now().isAfter(reboot.asked().get().plus(limits.forTheChange()));
      if (isVain) {
        reboot.decline("it did not go down");
      }
      return isVain ? MigAttempt.SOON : BETWEEN_LATE_LOOKS;
    }
    boolean isAnnounced = sight.isRebootAnnounced() && sight.isWithheldByKubelet(gpus);
    if (isAnnounced || isLate()) {
      reboot.ask(modes, now());
    }
    return MigAttempt.SOON;
  }

  private boolean isLate() {
    return freeSince.filter(since -> now().isAfter(since.plus(limits.forReadiness()))).isPresent();
  }

  /// A pod that is to be evicted keeps its devices meanwhile. After the deadline the GPU is offered
  /// again, and no pod is evicted from it any more, until the change is tried again.
  private Duration busy(
      MigObservation sight, Instant deadline, GpuConsumers.InTheWay inTheWay, Set<String> gpus) {
    boolean isLate = !now().isBefore(deadline);
    if (!isLate && sight.busy() != MigBusy.REFUSE) {
      reporter.pending(sight.waiting(inTheWay, deadline), gpus, false);
      return BETWEEN_LOOKS;
    }
    String late = isLate ? " still after " + limits.forPods().toMinutes() + " minutes" : "";
    if (reboot.isAwaited()) {
      reboot.decline(inTheWay.text() + late);
      return MigAttempt.SOON;
    }
    if (sight.busy() == MigBusy.EVICT) {
      String message = inTheWay.text() + late + sight.keptText();
      return failed(sight, "Busy", message + "; it is tried again later");
    }
    MigAttempt same = attempt.orElseThrow();
    String then = "; the GPUs are divided as %s says as soon as it is gone";
    conclude(
        sight,
        sight.facts(Phase.FAILED, "Busy", inTheWay.text() + late + then),
        Optional.of(now().plus(BETWEEN_LATE_LOOKS)));
    attempt = Optional.of(same);
    return BETWEEN_LATE_LOOKS;
  }

  /// @param modes that are to come into force
  private Duration change(
      MigObservation sight, DesiredLayout wish, String modes, Set<String> gpus) {
    ChangeOutcome outcome;
    try {
      outcome =
          services
              .stop(clients(sight))
              .<ChangeOutcome>map(
                  why -> new ChangeOutcome.Refused("a service of the host has GPUs open: " + why))
              .orElseGet(() -> carryOut(sight, wish, modes, gpus));
    } finally {
      reporter.returnDriver(gpus);
      driver.look();
      services.start(now());
    }
    attempt = Optional.empty();
    freeSince = Optional.empty();
    concluded = Optional.empty();
    return switch (outcome) {
      case ChangeOutcome.Done(_), ChangeOutcome.Incomplete(_, _) -> {
        settlesUntil = Optional.of(now().plus(MigAttempt.SETTLES_WITHIN));
        yield MigAttempt.SOON;
      }
      case ChangeOutcome.AwaitsReboot(var reason) -> {
        reboot.await(sight.choice(), reason);
        yield MigAttempt.SOON;
      }
      case ChangeOutcome.Refused(_), ChangeOutcome.Failed(_, _) ->
          failed(sight, "ChangeFailed", outcome.text() + reboot.excuse());
    };
  }

  private ChangeOutcome carryOut(
      MigObservation sight, DesiredLayout wish, String modes, Set<String> gpus) {
    boolean mayReboot = sight.settings().mig().reboots() && reboot.isPossible(modes);
    var options = new ChangeOptions(false, BusyPolicy.REFUSE, limits.forTheChange(), mayReboot);
    boolean needsDriver = reporter.now().needsDriver();
    String message = "dividing the GPUs as %s says: ";
    try (var access = access(sight)) {
      return new MigChange(
              access,
              journal,
              context.clock(),
              step -> pending(sight, "Changing", message + MigAttempt.gpu(step), gpus, needsDriver))
          .run(wish, options);
    }
  }

  /// Those of a host that has the driver itself.
  private List<String> clients(MigObservation sight) {
    return isDriverOfHost(sight) ? sight.basis().clients().services() : List.of();
  }

  private boolean isDriverOfHost(MigObservation sight) {
    return DriverPaths.onHost(context, sight.settings().driverFolder())
        .filter("/"::equals)
        .isPresent();
  }

  /// Tried again, for what was wrong may be gone.
  private Duration failed(MigObservation sight, String reason, String message) {
    Instant until = retry.failed(sight.choice(), now());
    var facts = sight.facts(Phase.FAILED, reason, message);
    conclude(sight, facts, Optional.of(until));
    return untilDue(Optional.of(until));
  }

  private void conclude(MigObservation sight, MigFacts facts, Optional<Instant> until) {
    attempt = Optional.empty();
    reboot.end();
    freeSince = Optional.empty();
    concluded = Optional.of(new Concluded(sight.basis(), until));
    reporter.report(facts);
  }

  /// @param message with a place for the layout's name
  private void pending(
      MigObservation sight, String reason, String message, Set<String> gpus, boolean needsDriver) {
    reporter.pending(sight.facts(Phase.PENDING, reason, message), gpus, needsDriver);
  }

  private OwnAccess access(MigObservation sight) {
    GpuSettings gpus = DriverPaths.of(context, sight.settings().driverFolder()).gpuSettings();
    return new OwnAccess(
        gpus.withUse(driver.use()).withDeadline(limits.forACall()), sight.silent());
  }

  private Instant now() {
    return context.clock().instant();
  }
}
