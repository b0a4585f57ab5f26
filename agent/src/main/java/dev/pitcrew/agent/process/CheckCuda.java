package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cuda.CudaCheck;
import dev.pitcrew.agent.cuda.CudaTarget;
import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has every GPU compute once for each time that the driver was loaded, and again now and then
/// where one did not. Where somebody wants the driver for himself the check is ended at once.
final class CheckCuda implements Concern, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CheckCuda.class);
  private static final Duration UNTIL_CHECKED_AGAIN = Duration.ofMinutes(5);
  private static final String LINKS = "cuda-libraries";

  private final AgentPlace place;
  private final Board board;
  private Optional<Work> begun = Optional.empty();
  private Optional<ExecutorService> runner = Optional.empty();
  private volatile Optional<Instant> repeatAt = Optional.empty();

  private record Work(HostRoot driver, List<CudaTarget> targets) {}

  CheckCuda(AgentPlace place, Board board) {
    this.place = place;
    this.board = board;
  }

  @Override
  public Duration act(Situation situation) {
    Optional<Work> wanted = situation.settings().flatMap(it -> wanted(situation, it));
    Instant now = place.clock().instant();
    boolean isDue = repeatAt.filter(time -> !time.isAfter(now)).isPresent();
    if (!wanted.equals(begun) || isDue) {
      close();
      begun = wanted;
      if (wanted.isEmpty()) {
        board.change(it -> it.withCuda(Optional.empty()));
      }
      wanted.ifPresent(this::begin);
    }
    return repeatAt.map(time -> Duration.between(now, time)).orElse(SETTLED);
  }

  private Optional<Work> wanted(Situation situation, Settings settings) {
    return situation
        .snapshot()
        .filter(_ -> settings.checksCuda())
        .filter(NodeSnapshot.WithDriver.class::isInstance)
        .flatMap(NodeSnapshot::inventory)
        .filter(inventory -> inventory.gpus().stream().noneMatch(CheckCuda::waitsForFabric))
        .map(inventory -> new Work(driver(settings), CudaTarget.of(inventory)))
        .filter(work -> !work.targets().isEmpty());
  }

  /// Every check would fail until the fabric is set up, and the next one would come minutes after.
  private static boolean waitsForFabric(Gpu gpu) {
    return gpu.fabric() instanceof Fabric.Pending;
  }

  private HostRoot driver(Settings settings) {
    return DriverPlaces.of(place, settings.driverFolder()).driver().now().files();
  }

  private void begin(Work work) {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    threads.execute(() -> check(work));
    runner = Optional.of(threads);
  }

  private void check(Work work) {
    try {
      var check =
          new CudaCheck(
              work.driver(), place.folders().state().resolve(LINKS), CudaCheck.USUAL_DEADLINE);
      tell(new CudaVerdict(check.of(work.targets())));
    } catch (IOException e) {
      repeatAt = Optional.of(place.clock().instant().plus(UNTIL_CHECKED_AGAIN));
      LOG.atWarn().setCause(e).log("the GPUs could not be checked by CUDA; trying again");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(CudaVerdict verdict) {
    if (!verdict.isReady()) {
      repeatAt = Optional.of(place.clock().instant().plus(UNTIL_CHECKED_AGAIN));
      LOG.atWarn().log("CUDA: {}", verdict.message());
    } else {
      LOG.atInfo().log("CUDA: {}", verdict.message());
    }
    board.change(now -> now.withCuda(Optional.of(verdict)));
  }

  /// Ends the check, and with it the process that has the driver open.
  @Override
  public void close() {
    runner.ifPresent(CheckCuda::end);
    runner = Optional.empty();
    repeatAt = Optional.empty();
  }

  private static void end(ExecutorService running) {
    running.shutdownNow();
    running.close();
  }
}
