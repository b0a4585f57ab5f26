// Long because it is the one door to the GPUs of a node: a short method for each thing that can be
// asked.
package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.EventSetHandle;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The GPUs of a node while its driver is loaded.
///
/// Open it when the driver appears, close it before the driver may go: an open NVML keeps the
/// kernel module in use. Where the driver went all the same, every inventory fails until it is
/// closed and opened again. A caller waits at most for the deadline of the settings, or for its own
/// timeout where it passes one, whatever one GPU does.
public final class Gpus implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Gpus.class);

  /// A GPU that is slow for a moment is not unhealthy: it gets this many times the timeout.
  private static final int TOLERANCE = 4;

  /// A resource manager that is held for this many deadlines, usually half a minute, hangs.
  private static final int DEADLINES_OF_MANAGER = 6;

  private static final String HELD = "the driver hangs: another call holds its resource manager";

  /// How long closing waits for calls that are about to return.
  private static final Duration FAREWELL = Duration.ofMillis(500);

  private final GpuSettings settings;
  private final NvmlLibrary nvml;
  private final Lane.Late late;
  private final Lane node;

  /// For calls about no GPU that may wait for the resource manager; those on [#node] do not.
  private final Lane manager;

  private final Reading<Driver> driver;
  private final Map<Integer, Reading<GpuAt>> readings = new HashMap<>();
  private final Map<Integer, Reading<Vitals>> vitals = new HashMap<>();
  private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();
  private final Map<Integer, Lane> linkLanes = new ConcurrentHashMap<>();
  private final List<GpuWatch> watches = new CopyOnWriteArrayList<>();
  private final List<GpuSamples> sampled = new CopyOnWriteArrayList<>();
  private final GpuReader reader;
  private final TopologyCache topologies;

  /// Of GPUs that are late with the inventory.
  private final HangDetector hangs;

  /// Of GPUs that are late with their vitals.
  private final HangDetector silence;

  private record Driver(DriverVersion version, int gpuCount) {}

  private Gpus(GpuSettings settings, NvmlLibrary nvml, Lane.Late late) {
    this.settings = settings;
    this.nvml = nvml;
    this.late = late;
    node = newLane();
    manager = newLane();
    hangs = new HangDetector(nvml, this::lane);
    silence = new HangDetector(nvml, this::lane);
    driver = new Reading<>(node, "reading the driver");
    reader = new GpuReader(nvml, settings.host());
    topologies = new TopologyCache(nvml.links(), this::linkLane);
  }

  /// Opens NVML where `settings` say it is.
  public static Answer<Gpus> open(GpuSettings settings) {
    return open(settings, Lane.Late.UNREPORTED);
  }

  /// As [#open(GpuSettings)], for a caller that looks repeatedly.
  ///
  /// @param timeout as it will be given to [#inventory(Duration)]
  /// @param onLateAnswer called, on any thread, when something answers after that: it is worth a
  ///   look
  public static Answer<Gpus> open(GpuSettings settings, Duration timeout, Runnable onLateAnswer) {
    return open(settings, new Lane.Late(timeout, onLateAnswer));
  }

  private static Answer<Gpus> open(GpuSettings settings, Lane.Late late) {
    return Opening.of(settings).map(nvml -> new Gpus(settings, nvml, late));
  }

  /// Everything about all GPUs. A GPU that does not answer is among the unreadable ones; there is
  /// no inventory only where the driver itself does not answer.
  public Answer<Inventory> inventory() {
    var timeout = settings.deadline();
    var found = inventory(timeout);
    for (int look = 1; isUndecided() && look < HangDetector.MISSES_OF_A_HANG; look++) {
      found = inventory(timeout.plus(HangDetector.TIMEOUT.multipliedBy(look)));
    }
    return found;
  }

  /// Everything that is known after `timeout`, on one thread at a time. A GPU that has not answered
  /// by then is as it was read last; it is among the unreadable ones if it has never been read, if
  /// it hangs, or if the driver's resource manager is held for half a minute.
  public Answer<Inventory> inventory(Duration timeout) {
    driver.begin(this::driver);
    return driver.within(timeout, tolerance(timeout)).map(found -> inventory(found, timeout));
  }

  private Duration tolerance(Duration timeout) {
    var longest = timeout.multipliedBy(TOLERANCE);
    return longest.compareTo(settings.deadline()) < 0 ? longest : settings.deadline();
  }

  /// One GPU alone, by its NVML index.
  public Answer<Gpu> gpu(int index) {
    var minors = MigMinors.onDemand(settings.host());
    return lane(index)
        .ask(readingOf(index), () -> reader.read(index, minors))
        .flatMap(found ->
            switch (found) {
              case GpuAt.Compute(var gpu, _) -> Answer.of(gpu);
              case GpuAt.DisplayOnly() -> new Answer.NotSupported<>("GPU " + index);
            });
  }

  /// How the GPUs are, by NVML index, on one thread at a time. One that has not answered after
  /// `timeout` is left out.
  public Map<Integer, Vitals> vitals(Collection<Integer> indices, Duration timeout) {
    var vitalReader = new VitalReader(nvml);
    indices.forEach(index -> vitals(index).begin(() -> vitalReader.read(index)));
    var found = new HashMap<Integer, Vitals>();
    for (int index : indices) {
      if (vitals(index).within(timeout, timeout) instanceof Answer.Value<Vitals>(var read)) {
        found.put(index, read);
        silence.answered(index);
      }
    }
    return found;
  }

  /// Those of GPUs that are late with [#vitals] which hang, as far as it is known. Each call is
  /// further evidence. On the thread of [#vitals].
  public Set<Integer> silent(Collection<Integer> late) {
    var others =
        vitals.entrySet().stream()
            .filter(it -> !it.getValue().isWaiting())
            .filter(it -> it.getValue().last().filter(Gpus::isValue).isPresent())
            .map(Map.Entry::getKey)
            .toList();
    silence.missed(late, others);
    return late.stream().filter(silence::isHung).collect(Collectors.toUnmodifiableSet());
  }

  private Reading<Vitals> vitals(int index) {
    return vitals.computeIfAbsent(
        index, gpu -> new Reading<>(lane(gpu), "reading the health of GPU " + gpu));
  }

  /// Divides the GPUs.
  public Partitions partitions() {
    return new Partitions(nvml, this::lane, node);
  }

  /// Whether the last call about a GPU came back in time.
  public boolean isResponsive(int index) {
    return lane(index).isResponsive();
  }

  /// Whether no call about a GPU is on its way for as long as that.
  public boolean isResponsive(int index, Duration timeout) {
    return lane(index).isResponsiveWithin(timeout);
  }

  /// Reports to `listener`, on a thread of its own, what happens on the GPUs from now on. GPUs that
  /// come later need a new watch.
  public Answer<GpuWatch> watch(Consumer<HealthSignal> listener) {
    return watch(listener, settings.deadline());
  }

  /// As [#watch(Consumer)]; a GPU that has not answered after `timeout` is not watched.
  public Answer<GpuWatch> watch(Consumer<HealthSignal> listener, Duration timeout) {
    var job =
        manager.begin(
            "preparing events",
            () ->
                Answer.join(nvml.driver().deviceCount(), nvml.events().createSet(), Prepared::new));
    return job.within(timeout).orElseGet(job::giveUp).map(ready -> watch(ready, listener, timeout));
  }

  private record Prepared(int gpuCount, EventSetHandle set) {}

  private GpuWatch watch(Prepared ready, Consumer<HealthSignal> listener, Duration timeout) {
    var registration = new WatchRegistration(nvml, this::lane, ready.set());
    var watched = registration.register(ready.gpuCount(), timeout);
    var watch = GpuWatch.started(nvml, watched, listener);
    watches.removeIf(GpuWatch::hasEnded);
    watches.add(watch);
    return watch;
  }

  /// Samples of `sources`, on the threads on which all else about a GPU is asked.
  public GpuSamples samples(List<Source> sources) {
    var samples = new GpuSamples(nvml, this::lane, List.copyOf(sources));
    sampled.add(samples);
    return samples;
  }

  /// The texts that a board reports about itself.
  public Answer<Map<BoardText, String>> texts(int index) {
    return lane(index).ask("reading texts of GPU " + index, () -> BoardText.read(nvml, index));
  }

  /// How far one GPU reaches the other over NVLink: nvmlGpuP2PStatus_t, 0 where it does.
  public Answer<Integer> nvLinkStatus(int one, int other) {
    var calls = nvml.driver();
    return linkLane(one)
        .ask(
            "reading the way from GPU %d to GPU %d".formatted(one, other),
            () ->
                calls
                    .deviceAt(one)
                    .flatMap(
                        a -> calls.deviceAt(other).flatMap(b -> nvml.links().nvLinkStatus(a, b))));
  }

  private Answer<Driver> driver() {
    var calls = nvml.driver();
    var version =
        Answer.join(
            calls.driverVersion(), calls.cudaVersion().ifNotSupported(0), Gpus::driverVersion);
    return Answer.join(version, calls.deviceCount(), Driver::new);
  }

  // CUDA counts 12040 for 12.4.
  private static DriverVersion driverVersion(String driver, int cuda) {
    return new DriverVersion(driver, cuda / 1000, cuda % 1000 / 10);
  }

  private Inventory inventory(Driver driver, Duration timeout) {
    var indices = IntStream.range(0, driver.gpuCount()).boxed().toList();
    var minors = MigMinors.onDemand(settings.host());
    indices.forEach(index -> beginReading(index, minors));
    var answers = new HashMap<Integer, Answer<GpuAt>>();
    for (int index : indices) {
      begun(index).within(timeout).ifPresent(answer -> answers.put(index, answer));
    }
    findHangs(indices, answers);
    var gpus = new ArrayList<GpuAt.Compute>();
    var unreadable = new ArrayList<UnreadableGpu>();
    for (int index : indices) {
      switch (answers.containsKey(index) ? answers.get(index) : lastAnswer(index)) {
        case Answer.Value(GpuAt.Compute gpu) -> gpus.add(gpu);
        case Answer.Value(GpuAt.DisplayOnly()) -> {}
        case Answer<GpuAt> none ->
            unreadable.add(
                new UnreadableGpu(index, none.reason(), needsReset(none), isUndecided(index)));
      }
    }
    return new Inventory(
        driver.version(),
        gpus.stream().map(GpuAt.Compute::gpu).toList(),
        unreadable,
        topologies.of(gpus, timeout));
  }

  private void findHangs(List<Integer> indices, Map<Integer, Answer<GpuAt>> answers) {
    answers.keySet().forEach(hangs::answered);
    hangs.missed(
        indices.stream().filter(index -> !answers.containsKey(index)).toList(),
        indices.stream().filter(index -> isValue(answers.get(index))).toList());
  }

  private static boolean isValue(@Nullable Answer<?> answer) {
    return answer instanceof Answer.Value;
  }

  /// What is known of a GPU that is late.
  private Answer<GpuAt> lastAnswer(int index) {
    var reading = begun(index);
    if (reading.isOlderThan(untilManagerHangs()) && !hangs.isHung(index)) {
      return Answer.failed(NvmlError.UNRESPONSIVE, HELD);
    }
    return hangs.isHung(index) ? reading.noAnswer() : reading.last().orElseGet(reading::noAnswer);
  }

  private Duration untilManagerHangs() {
    return settings.deadline().multipliedBy(DEADLINES_OF_MANAGER);
  }

  /// Whether a GPU is late of which it is not known whether it hangs.
  private boolean isUndecided(int index) {
    var reading = begun(index);
    return reading.isWaiting() && !hangs.isHung(index) && !reading.isOlderThan(untilManagerHangs());
  }

  private void beginReading(int index, Supplier<MigMinors> minors) {
    readings
        .computeIfAbsent(index, gpu -> new Reading<>(lane(gpu), readingOf(gpu)))
        .begin(() -> reader.read(index, minors));
  }

  private Reading<GpuAt> begun(int index) {
    return Objects.requireNonNull(readings.get(index));
  }

  private static boolean needsReset(Answer<GpuAt> none) {
    return none.isFailedWith(NvmlError.GPU_IS_LOST) || none.isFailedWith(NvmlError.RESET_REQUIRED);
  }

  /// Whether something is slow of which it is not decided yet that it hangs: it is worth another
  /// look soon. On the thread of [#inventory(Duration)].
  public boolean isUndecided() {
    return driver.isUndecided() || readings.keySet().stream().anyMatch(this::isUndecided);
  }

  private static String readingOf(int index) {
    return "reading GPU " + index;
  }

  private Lane lane(int index) {
    return lanes.computeIfAbsent(index, _ -> newLane());
  }

  // A question about two GPUs hangs with either of them: it must not stop their own lanes.
  private Lane linkLane(int index) {
    return linkLanes.computeIfAbsent(index, _ -> newLane());
  }

  private Lane newLane() {
    return new Lane(settings.deadline(), late);
  }

  /// Ends all watches and closes NVML, within a moment. Where a call hangs, its thread closes NVML
  /// when it returns.
  @Override
  public void close() {
    watches.forEach(GpuWatch::close);
    sampled.forEach(GpuSamples::close);
    var all = Stream.of(List.of(node, manager), lanes.values(), linkLanes.values());
    var open = all.flatMap(Collection::stream).toList();
    open.forEach(Lane::close);
    awaitEnd(open.stream().filter(Lane::isResponsive).toList());
    // Shutting down may hang as any other call. It is never given up, only no longer waited for.
    try (var last = new Lane(settings.deadline())) {
      var closing = last.begin("closing NVML", this::closeNvml);
      if (closing.within(settings.deadline()).isEmpty()) {
        LOG.atWarn().log("closing NVML takes long");
      }
    }
  }

  private Answer<Boolean> closeNvml() {
    nvml.close();
    return Answer.of(true);
  }

  private static void awaitEnd(List<Lane> closed) {
    long latestNanos = System.nanoTime() + FAREWELL.toNanos();
    try {
      for (var lane : closed) {
        if (!lane.hasEndedBy(latestNanos)) {
          return;
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
