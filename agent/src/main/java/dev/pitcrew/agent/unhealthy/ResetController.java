package dev.pitcrew.agent.unhealthy;

import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.mig.MigAttempt;
import dev.pitcrew.agent.mig.change.OwnAccess;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.pods.HoldingPod;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.ReportCache;
import dev.pitcrew.agent.status.ReportInput;
import dev.pitcrew.agent.unhealthy.ResetPlan.Refusal;
import dev.pitcrew.core.Backoff;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.nvml.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Resets GPUs that need it, where the policy requests that, as soon as no pod or process holds
/// them. All others stay as they are offered.
///
/// An attempt is recorded before the reset, with the evidence against the GPU: the successor of an
/// agent that was killed meanwhile checks the result, and counts the attempt.
public final class ResetController implements Controller<ResetController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(ResetController.class);

  /// Neither the kubelet nor NVML reports when a user of a GPU is gone.
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  /// For the kubelet to be informed, and for NVML to be closed.
  private static final Duration MAKES_READY_WITHIN = Duration.ofSeconds(60);

  private static final Duration FOR_EVENTS = Duration.ofSeconds(1);
  private static final Duration FOR_A_CALL = Duration.ofSeconds(5);
  private static final Backoff AFTER_REFUSALS =
      new Backoff(Duration.ofMinutes(1), Duration.ofMinutes(30));

  private final AgentContext context;
  private final Consumer<ResetReport> reports;
  private final DriverController driver;
  private final Events events;
  private final ReportCache latest;
  private final HoldingPods pods;
  private final Map<String, Refusal> refused = new HashMap<>();

  /// Since when no pod or process blocks a reset.
  private Optional<Instant> freeSince = Optional.empty();

  private ResetReport last = ResetReport.NONE;

  /// @param wanted empty where no GPU is to be reset, or too little is known
  public record Input(Optional<Wanted> wanted) {}

  /// @param node the Node, for Events
  /// @param label the value of `nvidia.com/mig.config`
  /// @param configMaps those that were looked for, by name
  /// @param dividing the GPUs whose MIG layout is being changed, by UUID
  /// @param withheld the GPUs that the kubelet knows to be withheld, by UUID
  public record Wanted(
      ObjectEvent.Subject node,
      Settings settings,
      NodeSnapshot.WithDriver loaded,
      String label,
      Map<String, WatchedObject> configMaps,
      Set<String> dividing,
      Set<String> withheld,
      ReportInput report) {}

  public ResetController(
      AgentContext context,
      Consumer<ResetReport> reports,
      DriverController driver,
      Events events,
      ReportCache latest) {
    this.context = context;
    this.reports = reports;
    this.driver = driver;
    this.events = events;
    this.latest = latest;
    this.pods = new HoldingPods(context.host());
  }

  @Override
  public Duration reconcile(Input input) throws InterruptedException {
    ResetPlan plan =
        input
            .wanted()
            .map(it -> ResetPlan.of(it, latest.of(it.report()), refused, now()))
            .orElse(ResetPlan.NOTHING);
    if (input.wanted().isEmpty() || plan.equals(ResetPlan.NOTHING)) {
      freeSince = Optional.empty();
      show(ResetReport.NONE);
      return RESYNC;
    }
    Wanted wanted = input.wanted().get();
    var words = new TreeMap<>(plan.words());
    List<Gpu> free = new ArrayList<>();
    for (Gpu gpu : plan.candidates()) {
      holders(gpu, wanted)
          .ifPresentOrElse(
              who -> words.put(gpu.uuid(), "it is reset as soon as it is free: " + who),
              () -> free.add(gpu));
    }
    if (free.isEmpty()) {
      freeSince = Optional.empty();
      show(new ResetReport(words, withheld(plan.settling()), false));
      return plan.candidates().isEmpty() ? untilDue(plan) : BETWEEN_LOOKS;
    }
    return begin(new Round(wanted, plan, free, words));
  }

  /// @param free the GPUs that no pod or process holds
  private record Round(Wanted wanted, ResetPlan plan, List<Gpu> free, Map<String, String> words) {
    Set<String> uuids() {
      return free.stream().map(Gpu::uuid).collect(Collectors.toUnmodifiableSet());
    }
  }

  private Duration begin(Round round) throws InterruptedException {
    freeSince = freeSince.or(() -> Optional.of(now()));
    boolean isOffered = round.wanted().settings().isOn(NodeFunction.DEVICE_PLUGIN);
    boolean isReported =
        !isOffered || round.wanted().withheld().containsAll(round.uuids()) || isLate();
    round.free().forEach(gpu -> announce(gpu, round.wanted()));
    show(view(round, isReported));
    // The agent's own handles keep a GPU from being reset. Where one of its calls hangs, the driver
    // may do it all the same, or say why not.
    if (!isReported || !(driver.use().isOver() || isLate())) {
      return MigAttempt.SOON;
    }
    if (!events.awaitSent(FOR_EVENTS)) {
      LOG.atDebug().log("Events are reported after the reset");
    }
    return driver.alone(() -> reset(round)).orElse(MigAttempt.SOON);
  }

  private ResetReport view(Round round, boolean needsDriver) {
    var words = new TreeMap<>(round.words());
    round.uuids().forEach(uuid -> words.put(uuid, "it is not in use, and it is reset now"));
    return new ResetReport(
        words,
        withheld(
            Stream.concat(round.plan().settling().stream(), round.uuids().stream())
                .collect(Collectors.toSet())),
        needsDriver);
  }

  /// Each alone, so that one that cannot be reset keeps no other.
  private Duration reset(Round round) {
    try (var access = access(round.wanted().settings())) {
      for (Gpu gpu : round.free()) {
        driver.learn(unhealthy -> unhealthy.beforeReset(Set.of(gpu.uuid()), now()));
        access
            .resetAt(List.of(gpu.pci().address()))
            .ifPresentOrElse(why -> failed(gpu, round, why), () -> done(gpu, round));
      }
    } finally {
      freeSince = Optional.empty();
      show(new ResetReport(round.words(), withheld(round.uuids()), false));
    }
    return MigAttempt.SOON;
  }

  private void done(Gpu gpu, Round round) {
    refused.remove(gpu.uuid());
    driver.learn(unhealthy -> unhealthy.afterReset(List.of(gpu)));
    emit(gpu, round.wanted(), ObjectEvent.Type.NORMAL, "GpuReset", "was reset");
  }

  private void failed(Gpu gpu, Round round, String why) {
    int count = Optional.ofNullable(refused.get(gpu.uuid())).map(Refusal::count).orElse(0) + 1;
    refused.put(gpu.uuid(), new Refusal(count, why, now().plus(AFTER_REFUSALS.ceiling(count))));
    driver.learn(unhealthy -> unhealthy.notReset(Set.of(gpu.uuid())));
    emit(
        gpu,
        round.wanted(),
        ObjectEvent.Type.WARNING,
        "GpuResetFailed",
        "could not be reset: %s; it is tried again".formatted(why));
  }

  /// The holders that keep a GPU from being reset, if any.
  private Optional<String> holders(Gpu gpu, Wanted wanted) {
    Set<String> devices =
        Stream.concat(Stream.of(gpu.uuid()), gpu.mig().migDevices().stream().map(MigDevice::uuid))
            .collect(Collectors.toUnmodifiableSet());
    Optional<List<HoldingPod>> holding = pods.atMost(devices).map(HoldingPods.Holders::all);
    if (holding.isEmpty()) {
      return Optional.of("the kubelet does not report which pods hold it");
    }
    if (!holding.get().isEmpty()) {
      return Optional.of(
          "it is held by pod "
              + holding.get().stream()
                  .map(pod -> pod.namespace() + "/" + pod.name())
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    // Once NVML is to be closed it is not opened for this: the driver resets no GPU that is in use.
    boolean isAsked =
        !last.needsDriver() && !wanted.loaded().gpus().unanswered().containsKey(gpu.uuid());
    return isAsked ? processes(gpu, wanted.settings()) : Optional.empty();
  }

  private Optional<String> processes(Gpu gpu, Settings settings) {
    Answer<List<Integer>> found;
    try (var access = access(settings)) {
      found = access.gpus().flatMap(it -> it.processes(gpu.index()));
    }
    return found instanceof Answer.Value<List<Integer>>(var processes)
        ? Optional.of(
                "it is in use by process "
                    + processes.stream().map(String::valueOf).collect(Collectors.joining(", ")))
            .filter(_ -> !processes.isEmpty())
        : Optional.of("its processes cannot be read: " + found.reason());
  }

  /// Once for the present evidence, whichever agent of this node reports it.
  private void announce(Gpu gpu, Wanted wanted) {
    emit(
        gpu,
        wanted,
        ObjectEvent.Type.NORMAL,
        "GpuResetting",
        "needs a reset; it is not in use, and it is reset now, as FleetPolicy spec.health.resetGpus specifies");
  }

  private void emit(Gpu gpu, Wanted wanted, ObjectEvent.Type type, String reason, String what) {
    String occurrence = wanted.loaded().unhealthy().signs().of(gpu.uuid()) + refused(gpu);
    events.emit(
        new ObjectEvent(
            wanted.node(),
            type,
            reason,
            "GPU %d (%s, %s) %s".formatted(gpu.index(), gpu.uuid(), gpu.pci().address(), what)),
        occurrence);
  }

  private String refused(Gpu gpu) {
    return Optional.ofNullable(refused.get(gpu.uuid())).map(it -> " " + it.count()).orElse("");
  }

  private boolean isLate() {
    return freeSince.filter(since -> now().isAfter(since.plus(MAKES_READY_WITHIN))).isPresent();
  }

  private Duration untilDue(ResetPlan plan) {
    return plan.next().map(it -> Duration.between(now(), it)).orElse(RESYNC);
  }

  private static Map<String, String> withheld(Set<String> gpus) {
    return gpus.stream().collect(Collectors.toMap(it -> it, _ -> "it is being reset"));
  }

  private void show(ResetReport view) {
    last = view;
    reports.accept(view);
  }

  private OwnAccess access(Settings settings) {
    GpuSettings gpus = DriverPaths.of(context, settings.driverFolder()).gpuSettings();
    return new OwnAccess(gpus.withUse(driver.use()).withDeadline(FOR_A_CALL));
  }

  private Instant now() {
    return context.clock().instant();
  }
}
