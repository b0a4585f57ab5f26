// Long because it is one state machine: all ways out of a change have to be seen side by side.
package dev.pitcrew.agent.process;

import dev.pitcrew.agent.mig.change.BusyPolicy;
import dev.pitcrew.agent.mig.change.CapabilityFiles;
import dev.pitcrew.agent.mig.change.ChangeOptions;
import dev.pitcrew.agent.mig.change.ChangeOutcome;
import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.mig.change.MigChange;
import dev.pitcrew.agent.mig.change.OwnAccess;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Unwanted;
import dev.pitcrew.agent.mig.plan.Wish;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.Told;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.MigFacts;
import dev.pitcrew.agent.status.MigFacts.Phase;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.mig.DividedNode;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Divides the GPUs by MIG as the label of the Node says. While a GPU is changed nobody is given it
/// or a part of it; all others stay as they are offered. What it holds back lives in this process
/// alone, so that whoever comes after one that was killed begins with nothing paused, and finishes
/// what was begun before he offers it.
final class DivideGpus implements Concern {
  private static final Logger LOG = LoggerFactory.getLogger(DivideGpus.class);

  /// How long pods in the way are waited for with their GPU given to nobody else.
  private static final Duration FOR_PODS = Duration.ofMinutes(10);

  /// Neither the kubelet nor NVML tells when somebody is gone.
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

  private static final Duration BETWEEN_LATE_LOOKS = Duration.ofSeconds(10);

  /// A GPU instance takes a second, a reset half a minute.
  private static final Duration FOR_A_CALL = Duration.ofSeconds(60);

  /// For the kubelet to be told, and for NVML to be closed.
  private static final Duration MAKES_READY_WITHIN = Duration.ofSeconds(60);

  private static final Duration FOR_THE_CHANGE = Duration.ofMinutes(5);

  private final AgentPlace place;
  private final MigBoard board;
  private final FollowDriver driver;
  private final Journal journal;
  private final MigHolders holders;
  private Optional<Concluded> concluded = Optional.empty();
  private Optional<MigAttempt> attempt = Optional.empty();
  private Optional<Instant> settlesUntil = Optional.empty();

  /// Since when nobody was in the way any more.
  private Optional<Instant> freeSince = Optional.empty();

  private final Told unmade = new Told(LOG);
  private final MigRetry retry = new MigRetry();

  /// What a conclusion was drawn from.
  private record Basis(
      MigChoice choice, MigBusy busy, Map<String, String> layouts, Set<Integer> silent) {}

  /// @param until when it is to be looked at again; empty where nothing but another basis asks for
  ///   it
  private record Concluded(Basis basis, Optional<Instant> until) {}

  /// A round's view of the node.
  private record Sight(
      Basis basis,
      Settings settings,
      Inventory inventory,
      Set<Integer> silent,
      Set<String> toldWithheld) {}

  /// What a change that somebody did not finish has in its hands is given to nobody from the start.
  DivideGpus(AgentPlace place, Board board, FollowDriver driver) {
    this.place = place;
    this.driver = driver;
    this.journal = new Journal(place.folders().state());
    this.board = new MigBoard(board, journal);
    this.holders = new MigHolders(new HoldingPods(place.host()));
    if (!journal.unfinished().isEmpty()) {
      this.board.unknown("a change was not finished");
    }
  }

  @Override
  public Duration act(Situation situation) {
    if (situation.settings().isEmpty() || situation.cluster().nodeObject().isEmpty()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    return switch (settings.state(NodeFunction.MIG)) {
      case FunctionState.Off(_) -> leave(Optional.empty());
      case FunctionState.Paused(_) -> leave(board.now().facts());
      case FunctionState.On() -> divide(situation, settings);
    };
  }

  private Duration leave(Optional<MigFacts> facts) {
    attempt = Optional.empty();
    freeSince = Optional.empty();
    concluded = Optional.empty();
    board.leave(facts);
    return SETTLED;
  }

  private Duration divide(Situation situation, Settings settings) {
    MigChoice choice =
        MigChoice.of(situation.cluster(), settings.mig(), place.identity().namespace());
    if (choice instanceof MigChoice.Nothing) {
      return leave(Optional.empty());
    }
    boolean isKnown = !(choice instanceof MigChoice.Unknown);
    if (!isKnown || !(situation.snapshot().orElse(null) instanceof NodeSnapshot.WithDriver now)) {
      concluded = Optional.empty();
      board.unknown("the GPUs were not looked at yet");
      return SETTLED;
    }
    Inventory inventory = now.gpus().inventory();
    Set<Integer> silent = MigAttempt.silent(now.gpus());
    var basis = new Basis(choice, settings.mig().busy(), MigAttempt.layouts(inventory), silent);
    Optional<Duration> rest =
        concluded.filter(it -> it.basis().equals(basis)).map(it -> untilDue(it.until()));
    return rest.filter(Duration::isPositive)
        .or(() ->
            driver.alone(
                () -> look(new Sight(basis, settings, inventory, silent, situation.withheld()))))
        .orElse(MigAttempt.SOON);
  }

  private Duration untilDue(Optional<Instant> due) {
    return due.map(it -> Duration.between(now(), it)).orElse(SETTLED);
  }

  private Duration look(Sight sight) {
    Answer<DividedNode> read;
    try (var access = access(sight)) {
      read = access.gpus().flatMap(Partitions::read);
    }
    if (!(read instanceof Answer.Value<DividedNode>(var node))) {
      return failed(sight, "DriverNotReady", "how the GPUs are divided: " + read.reason());
    }
    Wish wish = sight.basis().choice().wish(node.gpus());
    List<String> refusals = wish.refusals(node.gpus());
    List<GpuPlan.Steps> steps = refusals.isEmpty() ? wish.steps(node.gpus()) : List.of();
    if (!steps.isEmpty() || !journal.unfinished().isEmpty()) {
      return begin(sight, wish, steps);
    }
    if (!refusals.isEmpty()) {
      return failed(
          sight,
          wish instanceof Unwanted ? "ConfigurationInvalid" : "LayoutImpossible",
          String.join("; ", refusals) + "; the GPUs stay as they are");
    }
    return settled(sight, wish, node);
  }

  /// Not before the snapshot shows what was made: nobody is given what is no longer there.
  private Duration settled(Sight sight, Wish wish, DividedNode node) {
    boolean isShown =
        settlesUntil.filter(now()::isBefore).isEmpty()
            || MigAttempt.isShown(node, sight.inventory());
    if (!isShown) {
      driver.look();
      return MigAttempt.SOON;
    }
    settlesUntil = Optional.empty();
    unmade.lines(CapabilityFiles.make(place.host(), sight.inventory()));
    List<String> unread = MigAttempt.unread(wish, node);
    if (unread.isEmpty()) {
      return succeeded(sight);
    }
    // The snapshot tells when it answers again.
    String message = String.join("; ", unread) + "; all other GPUs are as they should be";
    conclude(sight, facts(sight, Phase.FAILED, "GpuUnreadable", message), Optional.empty());
    return SETTLED;
  }

  private Duration succeeded(Sight sight) {
    retry.succeeded();
    conclude(
        sight,
        facts(sight, Phase.SUCCESS, "Configured", "the GPUs are divided as %s says"),
        Optional.empty());
    return SETTLED;
  }

  private Duration begin(Sight sight, Wish wish, List<GpuPlan.Steps> steps) {
    MigChoice choice = sight.basis().choice();
    Optional<Duration> rest = retry.rest(choice, now());
    if (rest.isPresent()) {
      // What failed has left other instances than there were, which is no news.
      return rest.get();
    }
    MigAttempt now =
        attempt
            .filter(it -> it.choice().equals(choice))
            .orElseGet(() -> new MigAttempt(choice, now().truncatedTo(ChronoUnit.SECONDS)));
    attempt = Optional.of(now);
    Set<String> gpus = new HashSet<>(journal.unfinished());
    steps.forEach(plan -> gpus.add(plan.gpu().uuid()));
    List<String> inTheWay = holders.of(steps, sight.inventory());
    if (!inTheWay.isEmpty()) {
      freeSince = Optional.empty();
      return busy(sight, now.since().plus(FOR_PODS), inTheWay, gpus);
    }
    freeSince = freeSince.or(() -> Optional.of(now()));
    boolean isTold = isTold(sight, gpus);
    boolean needsDriver = steps.isEmpty() || steps.stream().anyMatch(GpuPlan.Steps::changesMode);
    pending(sight, "Changing", "about to divide the GPUs as %s says", gpus, isTold && needsDriver);
    // The agent's own handles keep a GPU from changing its mode and from being reset. Where one of
    // its calls hangs, the driver may do it all the same, or say why not.
    boolean hasDriver = !needsDriver || driver.use().isOver() || isLate();
    return isTold && hasDriver ? change(sight, wish, gpus) : MigAttempt.SOON;
  }

  /// The kubelet gives nobody a device any more of which it was told so.
  private boolean isTold(Sight sight, Set<String> gpus) {
    boolean isOffered = sight.settings().isOn(NodeFunction.DEVICE_PLUGIN);
    return !isOffered || sight.toldWithheld().containsAll(gpus) || isLate();
  }

  private boolean isLate() {
    return freeSince.filter(since -> now().isAfter(since.plus(MAKES_READY_WITHIN))).isPresent();
  }

  private Duration busy(Sight sight, Instant deadline, List<String> inTheWay, Set<String> gpus) {
    String who = String.join("; ", inTheWay);
    MigBusy policy = sight.basis().busy();
    if (policy == MigBusy.REFUSE || !now().isBefore(deadline)) {
      MigAttempt late = attempt.orElseThrow();
      String why =
          policy == MigBusy.REFUSE ? "" : " still after " + FOR_PODS.toMinutes() + " minutes";
      conclude(
          sight,
          facts(
              sight,
              Phase.FAILED,
              "Busy",
              "%s%s; the GPUs are divided as %%s says as soon as it is gone".formatted(who, why)),
          Optional.of(now().plus(BETWEEN_LATE_LOOKS)));
      attempt = Optional.of(late);
      return BETWEEN_LATE_LOOKS;
    }
    String evicts =
        policy == MigBusy.EVICT
            ? "; FleetPolicy spec.mig.busy is Evict, but nobody evicts pods for it yet: delete it"
            : "";
    pending(
        sight,
        "WaitingForPods",
        "%s; it is waited for until %s%s".formatted(who, deadline, evicts),
        gpus,
        false);
    return BETWEEN_LOOKS;
  }

  private Duration change(Sight sight, Wish wish, Set<String> gpus) {
    ChangeOutcome outcome;
    boolean needsDriver = board.now().needsDriver();
    try (var access = access(sight)) {
      var change =
          new MigChange(
              access,
              journal,
              place.clock(),
              step ->
                  pending(
                      sight,
                      "Changing",
                      "dividing the GPUs as %%s says: %s".formatted(MigAttempt.gpu(step)),
                      gpus,
                      needsDriver));
      outcome = change.run(wish, new ChangeOptions(false, BusyPolicy.REFUSE, FOR_THE_CHANGE));
    } finally {
      board.returnDriver(gpus);
      driver.look();
    }
    attempt = Optional.empty();
    freeSince = Optional.empty();
    concluded = Optional.empty();
    return switch (outcome) {
      case ChangeOutcome.Done(_), ChangeOutcome.Incomplete(_, _) -> {
        settlesUntil = Optional.of(now().plus(MigAttempt.SETTLES_WITHIN));
        yield MigAttempt.SOON;
      }
      case ChangeOutcome.Refused(_), ChangeOutcome.Failed(_, _) ->
          failed(sight, "ChangeFailed", outcome.text());
    };
  }

  /// Tried again, for what was wrong may be gone.
  private Duration failed(Sight sight, String reason, String message) {
    Instant until = retry.failed(sight.basis().choice(), now());
    var facts = new MigFacts(Phase.FAILED, sight.basis().choice().layout(), reason, message);
    conclude(sight, facts, Optional.of(until));
    return untilDue(Optional.of(until));
  }

  private void conclude(Sight sight, MigFacts facts, Optional<Instant> until) {
    attempt = Optional.empty();
    freeSince = Optional.empty();
    concluded = Optional.of(new Concluded(sight.basis(), until));
    board.told(facts);
  }

  /// @param message with a place for the layout's name
  private void pending(
      Sight sight, String reason, String message, Set<String> gpus, boolean needsDriver) {
    board.pending(facts(sight, Phase.PENDING, reason, message), gpus, needsDriver);
  }

  private static MigFacts facts(Sight sight, Phase phase, String reason, String message) {
    String layout = sight.basis().choice().layout();
    return new MigFacts(phase, layout, reason, message.replace("%s", layout));
  }

  private OwnAccess access(Sight sight) {
    GpuSettings gpus = DriverPlaces.of(place, sight.settings().driverFolder()).gpuSettings();
    return new OwnAccess(gpus.withUse(driver.use()).withDeadline(FOR_A_CALL), sight.silent());
  }

  private Instant now() {
    return place.clock().instant();
  }
}
