package dev.pitcrew.agent.cuda;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.node.NodeSnapshot.WithDriver;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.NotChecked;
import dev.pitcrew.hardware.cuda.CudaOutcome.Standing;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has every GPU compute once for each time that the driver was loaded, one GPU at a time, and
/// again now and then where one did not. A GPU that is in use has proved it. What has been proved
/// is kept on the node, for the next agent. Where another controller needs the driver for itself
/// the check is ended at once.
public final class CudaController implements Controller<CudaController.Input>, AutoCloseable {
  static final String FILE = "cuda-proofs";
  private static final Logger LOG = LoggerFactory.getLogger(CudaController.class);
  private static final Duration UNTIL_CHECKED_AGAIN = Duration.ofMinutes(5);

  /// For what is in the way for a moment, and while a check runs.
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final String LINKS = "cuda-libraries";

  private final AgentContext context;
  private final Consumer<Optional<CudaVerdict>> verdicts;
  private final DriverController driver;
  private final StateFolder state;
  private final CudaHolders holders;

  private Optional<Work> begun = Optional.empty();
  private Optional<ExecutorService> runner = Optional.empty();

  /// What was found under [#load], by the UUID of the GPU; replaced as a whole.
  private volatile Map<String, CudaOutcome> found = Map.of();

  private String load = "";
  private volatile Optional<Instant> repeatAt = Optional.empty();
  private volatile String logged = "";

  /// @param driver the files of the driver
  /// @param folder where the policy says that they are
  /// @param load names the load of the driver; an empty text where it cannot be distinguished
  /// @param idle the GPUs that have nothing to compute on
  private record Work(
      HostRoot driver,
      String folder,
      String load,
      List<CudaTarget> targets,
      List<CheckedGpu> idle) {}

  public CudaController(
      AgentContext context,
      Consumer<Optional<CudaVerdict>> verdicts,
      DriverController driver,
      StateFolder state) {
    this.context = context;
    this.verdicts = verdicts;
    this.driver = driver;
    this.state = state;
    this.holders = new CudaHolders(context, driver);
  }

  /// @param isDriverTaken whether another part of the agent needs the driver for itself
  /// @param loaded the GPUs that are to be checked; empty where none are
  public record Input(boolean isDriverTaken, String driverFolder, Optional<WithDriver> loaded) {}

  @Override
  public Duration reconcile(Input input) {
    if (input.isDriverTaken()) {
      // For a moment: what was found stays true.
      close();
      begun = Optional.empty();
      return RESYNC;
    }
    Optional<Work> wanted =
        input
            .loaded()
            // Every check would fail until the fabric is set up, and the next one would come
            // minutes after.
            .filter(it -> !it.gpus().inventory().lacksFabric())
            .map(it -> work(it, input.driverFolder()));
    Instant now = context.clock().instant();
    boolean isDue = repeatAt.filter(time -> !time.isAfter(now)).isPresent();
    if (!wanted.equals(begun) || isDue) {
      close();
      begun = wanted;
      wanted.ifPresentOrElse(this::begin, this::forget);
    }
    return repeatAt
        .map(time -> Duration.between(now, time))
        .orElse(runner.isPresent() ? SOON : RESYNC);
  }

  private Work work(WithDriver loaded, String driverFolder) {
    String boot = HostFacts.bootId(context.host());
    Inventory inventory = loaded.gpus().inventory();
    Map<String, String> outside = inventory.outsideFabric();
    return new Work(
        DriverPaths.of(context, driverFolder).driver().now().files(),
        driverFolder,
        loaded
            .unhealthy()
            .driverLoad()
            .filter(_ -> !boot.isEmpty())
            .map(module -> boot + " " + module)
            .orElse(""),
        CudaTarget.of(inventory).stream()
            .filter(target -> !outside.containsKey(target.gpu().uuid()))
            .toList(),
        Stream.concat(
                CudaTarget.idle(inventory).stream().filter(gpu -> !outside.containsKey(gpu.uuid())),
                inventory.gpus().stream().flatMap(gpu -> outsideFabric(gpu, outside).stream()))
            .toList());
  }

  private static Optional<CheckedGpu> outsideFabric(Gpu gpu, Map<String, String> outside) {
    return Optional.ofNullable(outside.get(gpu.uuid()))
        .map(progress ->
            new CheckedGpu(
                "GPU " + gpu.index(),
                gpu.uuid(),
                new NotChecked("has not joined the NVLink fabric: " + progress)));
  }

  /// Nothing is said of GPUs that are not to be checked, or that have no driver.
  private void forget() {
    if (load.isEmpty()) {
      found = Map.of();
    }
    verdicts.accept(Optional.empty());
  }

  private void begin(Work work) {
    if (!work.load().equals(load)) {
      load = work.load();
      found = recalled(load);
    }
    show(work);
    if (work.targets().stream().anyMatch(target -> !isProved(target))) {
      ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
      threads.execute(() -> check(work));
      runner = Optional.of(threads);
    }
  }

  private Map<String, CudaOutcome> recalled(String now) {
    return Optional.of(now)
        .filter(it -> !it.isEmpty())
        .flatMap(_ -> state.read(FILE))
        .flatMap(text -> CudaProofs.read(text, now))
        .map(CudaProofs::gpus)
        .orElse(Map.of());
  }

  private boolean isProved(CudaTarget target) {
    return Optional.ofNullable(found.get(target.gpu().uuid()))
        .filter(it -> it.standing() == Standing.WORKS)
        .isPresent();
  }

  private void check(Work work) {
    boolean isHeldUp = false;
    for (CudaTarget target : work.targets()) {
      if (!isProved(target)) {
        Optional<CudaOutcome> outcome = driver.alone(() -> outcome(work, target));
        if (Thread.currentThread().isInterrupted()) {
          return;
        }
        isHeldUp |= outcome.isEmpty() || outcome.get().equals(CudaHolders.ENDING);
        note(work, target, outcome.orElse(new NotChecked("it is being changed")));
      }
    }
    if (!work.targets().stream().allMatch(this::isProved)) {
      repeatAt = Optional.of(context.clock().instant().plus(isHeldUp ? SOON : UNTIL_CHECKED_AGAIN));
    }
    log(verdict(work));
  }

  /// Not beside a change of the GPUs, which an open GPU would keep from being divided or reset.
  private CudaOutcome outcome(Work work, CudaTarget target) {
    try {
      Optional<CudaOutcome> others = holders.of(target.gpu(), work.folder());
      return others.isPresent()
          ? others.get()
          : new CudaCheck(
                  work.driver(), context.folders().state().resolve(LINKS), CudaCheck.USUAL_DEADLINE)
              .of(target);
    } catch (IOException e) {
      return new NotChecked("the check cannot be started (%s)".formatted(e));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new NotChecked("the check was interrupted");
    }
  }

  private void note(Work work, CudaTarget target, CudaOutcome outcome) {
    var next = new HashMap<>(found);
    next.merge(target.gpu().uuid(), outcome, CudaController::newer);
    found = Map.copyOf(next);
    if (outcome.standing() == Standing.WORKS && !work.load().isEmpty()) {
      state.keep(FILE, CudaProofs.of(work.load(), found).text());
    }
    show(work);
  }

  /// The same obstacle with another figure in its remedy is not reported again.
  private static CudaOutcome newer(CudaOutcome before, CudaOutcome now) {
    return before instanceof NotChecked(var old, _)
            && now instanceof NotChecked(var why, _)
            && why.equals(old)
        ? before
        : now;
  }

  private void show(Work work) {
    verdicts.accept(Optional.of(verdict(work)));
  }

  private CudaVerdict verdict(Work work) {
    Map<String, CudaOutcome> known = found;
    List<CheckedGpu> checked =
        work.targets().stream()
            .flatMap(target ->
                Stream.ofNullable(known.get(target.gpu().uuid()))
                    .map(outcome -> new CheckedGpu(target.name(), target.uuid(), outcome)))
            .toList();
    return new CudaVerdict(
        Stream.concat(checked.stream(), work.idle().stream()).toList(),
        work.targets().size() - checked.size());
  }

  /// The same outcome is not reported again.
  private void log(CudaVerdict verdict) {
    if (logged.equals(verdict.message())) {
      return;
    }
    logged = verdict.message();
    if (verdict.hasFailed()) {
      LOG.atWarn().log("CUDA: {}", logged);
    } else {
      LOG.atInfo().log("CUDA: {}", logged);
    }
  }

  /// Ends the check, and with it the process that has the driver open.
  @Override
  public void close() {
    runner.ifPresent(CudaController::end);
    runner = Optional.empty();
    repeatAt = Optional.empty();
  }

  private static void end(ExecutorService running) {
    running.shutdownNow();
    running.close();
  }
}
