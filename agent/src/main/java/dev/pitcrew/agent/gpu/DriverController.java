package dev.pitcrew.agent.gpu;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.node.NodeWatch;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.watch.PauseRequest;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps NVML open, under the settings in force, except while another program needs exclusive use
/// of the driver and where nothing here needs it: the driver cannot be unloaded while NVML is open.
/// A file says that NVML is closed, and only while that is true.
public final class DriverController implements Controller<DriverController.Input>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverController.class);
  private static final Set<NodeFunction> NEED_DRIVER =
      EnumSet.of(
          NodeFunction.GPU_LABELS,
          NodeFunction.DEVICE_PLUGIN,
          NodeFunction.CDI,
          NodeFunction.RUNTIME,
          NodeFunction.VALIDATION,
          NodeFunction.NODE_STATUS,
          NodeFunction.METRICS,
          NodeFunction.DRA,
          NodeFunction.MIG,
          NodeFunction.HEALTH);

  /// While a call hangs in NVML, which nothing announces the end of.
  private static final Duration UNTIL_LOOKED_AT_AGAIN = Duration.ofSeconds(1);

  /// A folder that was full may have room.
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final AgentContext context;
  private final Consumer<NodeSnapshot> snapshots;
  private final HealthStore memory;
  private final DriverReleaseFile release;
  private final NvmlUse use = new NvmlUse();

  /// Fair: claims wait for it in a row.
  private final ReentrantLock turn = new ReentrantLock(true);

  private Optional<Wanted> followed = Optional.empty();
  private volatile Optional<NodeWatch> watch = Optional.empty();

  /// What the last watch saw last, be it of an earlier process.
  private volatile Optional<NodeSnapshot.WithDriver> seen;

  private volatile Optional<NodeSnapshot> published = Optional.empty();

  /// What was logged of the driver since it was opened last.
  private volatile String logged = "";

  /// @param exclusiveUse why only one part of the agent may have NVML open at the moment
  public record Input(Settings settings, PauseRequest pause, Optional<String> exclusiveUse) {}

  /// @param snapshots receives each snapshot of the GPUs
  public DriverController(
      AgentContext context, HealthStore memory, Consumer<NodeSnapshot> snapshots) {
    this.context = context;
    this.memory = memory;
    this.snapshots = snapshots;
    this.seen = memory.recalled();
    this.release = new DriverReleaseFile(context.folders().validations());
  }

  /// Counts who has NVML open, also beside this: it is not closed before all have closed it.
  public NvmlUse use() {
    return use;
  }

  /// Does what changes GPUs, one at a time: a layout and a reset would undo each other.
  ///
  /// @return empty while another caller runs its work
  public <T> Optional<T> alone(Supplier<T> work) {
    if (!turn.tryLock()) {
      return Optional.empty();
    }
    try {
      return Optional.of(work.get());
    } finally {
      turn.unlock();
    }
  }

  /// As [#alone(Supplier)], after other callers whose work ends in time.
  public <T> Optional<T> alone(Duration timeout, Supplier<T> work) {
    try {
      if (!turn.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
    try {
      return Optional.of(work.get());
    } finally {
      turn.unlock();
    }
  }

  /// Has the GPUs looked at soon: they were changed.
  public void look() {
    watch.ifPresent(NodeWatch::look);
  }

  /// Takes over the findings of a controller that used the driver alone, and stores them at once.
  public void learn(UnaryOperator<UnhealthyDevices> change) {
    seen = seen.map(it -> it.fromNowOn(change.apply(it.unhealthy())));
    seen.ifPresent(it -> {
      memory.keep(it).ifPresent(why -> LOG.atWarn().log("{}", why));
      publish(it);
    });
  }

  /// @param leftAlone why NVML is not opened
  private record Wanted(
      String driverFolder,
      XidPolicy xids,
      Optional<HealthRules> rules,
      Optional<String> leftAlone) {}

  @Override
  public Duration reconcile(Input input) {
    Wanted wanted = wanted(input);
    Optional<String> leftAlone = wanted.leftAlone();
    if (followed.filter(wanted::equals).isEmpty()) {
      // First the GPUs are withheld: a hung call may delay the close.
      leftAlone.ifPresent(this::leave);
      close();
      if (leftAlone.isPresent() || isOfOtherXids(wanted)) {
        forgetLog();
      }
      followed = Optional.of(wanted);
    }
    if (leftAlone.isEmpty() && input.exclusiveUse().isPresent()) {
      // For a moment, since all controllers keep the last snapshot.
      close();
      return RESYNC;
    }
    return leftAlone.map(why -> release(input, why)).orElseGet(() -> keepOpen(wanted));
  }

  private boolean isOfOtherXids(Wanted wanted) {
    return followed.filter(it -> !it.xids().equals(wanted.xids())).isPresent();
  }

  /// What the kernel writes while another owner has the driver comes of what that does, and what
  /// the policy ignored when it was written is not held against a GPU because of another one.
  private void forgetLog() {
    seen = seen.map(it -> it.fromNowOn(it.unhealthy()));
    seen.flatMap(memory::keep).ifPresent(why -> LOG.atWarn().log("{}", why));
  }

  private Wanted wanted(Input input) {
    Settings settings = input.settings();
    return new Wanted(
        settings.driverFolder(), settings.xids(), settings.health().rules(), leftAlone(input));
  }

  private Optional<String> leftAlone(Input input) {
    boolean isNeeded = NEED_DRIVER.stream().anyMatch(input.settings()::isOn);
    return input
        .pause()
        .by()
        .or(() -> promised(input.pause()))
        .or(() ->
            Optional.of("no function of the agent needs it on this node").filter(_ -> !isNeeded));
  }

  /// What this node's memory says is older than the answer that the last agent gave: only the Node
  /// itself can say that a pause is over.
  private Optional<String> promised(PauseRequest pause) {
    return pause.node().isPresent()
        ? Optional.empty()
        : release
            .read()
            .filter(said -> said.isOf(bootId()) && !said.paused().isEmpty())
            .map(said -> "the last agent was asked to by " + said.paused());
  }

  /// Says that NVML is closed as soon as it is.
  private Duration release(Input input, String why) {
    List<String> openFiles = NvmlUse.openDeviceFiles();
    if (!use.isOver() || !openFiles.isEmpty()) {
      String rest =
          openFiles.isEmpty() ? "" : " (open: %s)".formatted(String.join(", ", openFiles));
      leave(
          "%s; a call in NVML has not returned yet, so that it is not closed%s"
              .formatted(why, rest));
      return UNTIL_LOOKED_AT_AGAIN;
    }
    Optional<DriverRelease> answer = input.pause().answer(context.identity().node(), bootId());
    Optional<String> problem = answer.flatMap(release::write);
    leave(
        why
            + "; "
            + problem.orElse(
                "NVML is closed" + answer.map(_ -> ", as %s says".formatted(release)).orElse("")));
    return problem.isPresent() ? UNTIL_TRIED_AGAIN : RESYNC;
  }

  private void leave(String why) {
    publish(
        new NodeSnapshot.WithoutDriver(
            "the driver is left alone: " + why,
            published
                .flatMap(NodeSnapshot::inventory)
                .or(() -> seen.flatMap(NodeSnapshot::inventory))));
  }

  private void publish(NodeSnapshot snapshot) {
    published = Optional.of(snapshot);
    snapshots.accept(snapshot);
  }

  /// Not before the file is removed that says that NVML is closed.
  private Duration keepOpen(Wanted wanted) {
    if (watch.isPresent()) {
      return RESYNC;
    }
    Optional<String> problem = release.remove();
    problem.ifPresentOrElse(this::leave, () -> open(wanted));
    return problem.isPresent() ? UNTIL_TRIED_AGAIN : RESYNC;
  }

  private void open(Wanted wanted) {
    if (memory.wasRemoved()) {
      LOG.atInfo().log(
          "the stored state of the GPUs was removed; the record of their health starts again");
      seen = Optional.empty();
    }
    logged = "";
    GpuSettings gpus = DriverPaths.of(context, wanted.driverFolder()).gpuSettings().withUse(use);
    watch =
        Optional.of(
            NodeWatch.start(
                new NodeWatch.Basis(gpus, wanted.xids(), wanted.rules(), seen),
                context.clock(),
                this::observe));
  }

  private void observe(NodeSnapshot snapshot) {
    String driver = snapshot.driver();
    if (!driver.equals(logged)) {
      logged = driver;
      LOG.atInfo().log("{}", driver);
    }
    if (snapshot instanceof NodeSnapshot.WithDriver loaded) {
      seen = Optional.of(loaded);
    }
    publish(snapshot);
  }

  private String bootId() {
    return HostFacts.bootId(context.host());
  }

  /// Closes NVML, so that the driver may be unloaded.
  @Override
  public void close() {
    watch.ifPresent(NodeWatch::close);
    watch = Optional.empty();
  }
}
