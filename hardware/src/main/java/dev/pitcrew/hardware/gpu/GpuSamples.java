package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.SampleReader;
import dev.pitcrew.hardware.nvml.SampleReader.Sample;
import dev.pitcrew.hardware.nvml.SampleReader.Target;
import dev.pitcrew.hardware.nvml.Source;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/// The newest sample of each GPU. There is never more than one reading of a GPU under way, and who
/// asks for a sample waits for none.
public final class GpuSamples implements AutoCloseable {
  /// A reading that takes longer is worth reporting.
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private static final Seen NOTHING = new Seen(Optional.empty(), Optional.empty());

  private final NvmlLibrary nvml;
  private final IntFunction<Lane> lanes;
  private final List<Source> sources;
  private final Map<Integer, Slot> slots = new ConcurrentHashMap<>();

  /// What is known of a GPU.
  ///
  /// @param last the newest sample; empty where there was none yet, and where the GPU or the driver
  ///   has answered that there is none
  /// @param problem why there is no newer one, though one was asked for
  public record Seen(Optional<Sample> last, Optional<String> problem) {}

  GpuSamples(NvmlLibrary nvml, IntFunction<Lane> lanes, List<Source> sources) {
    this.nvml = nvml;
    this.lanes = lanes;
    this.sources = sources;
  }

  /// Begins to read every GPU again, but for those whose last reading is under way. Each round on
  /// the same thread, or one after the other.
  public void begin(List<Target> targets) {
    for (Target target : targets) {
      slots.computeIfAbsent(target.index(), this::slot).begin(target);
    }
  }

  /// Waits for what was begun, at most for as long as that.
  public void await(Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    slots.values().forEach(slot -> slot.await(Duration.ofNanos(end - System.nanoTime())));
  }

  public Seen of(int index) {
    var slot = slots.get(index);
    return slot == null ? NOTHING : slot.seen();
  }

  private Slot slot(int index) {
    return new Slot(index, lanes.apply(index), nvml.sampleReader(sources));
  }

  /// Gives back what NVML keeps for the samples; readings that hang are left to themselves.
  @Override
  public void close() {
    slots.values().forEach(Slot::close);
  }

  private static final class Slot {
    private final String what;
    private final Lane lane;
    private final SampleReader reader;
    private volatile Optional<Job<Sample>> running = Optional.empty();
    private volatile Seen seen = NOTHING;

    private Slot(int index, Lane lane, SampleReader reader) {
      this.what = "sampling GPU " + index;
      this.lane = lane;
      this.reader = reader;
    }

    private synchronized void begin(Target target) {
      take();
      if (running.isEmpty()) {
        running = Optional.of(lane.begin(what, () -> reader.read(target)));
      }
    }

    private void await(Duration timeout) {
      running.ifPresent(job -> job.within(Duration.ofNanos(job.ageNanos()).plus(timeout)));
    }

    private synchronized Seen seen() {
      take();
      return running
          .filter(job -> job.isOlderThan(TIMEOUT))
          .map(job -> new Seen(seen.last(), Optional.of(job.noAnswer().reason())))
          .orElse(seen);
    }

    private void take() {
      running
          .flatMap(job -> job.within(Duration.ZERO))
          .ifPresent(answer -> {
            running = Optional.empty();
            seen = after(answer);
          });
    }

    /// A GPU that answers that it is lost has no values any more; one that is silent has its last.
    private Seen after(Answer<Sample> answer) {
      return switch (answer) {
        case Answer.Value<Sample>(var sample) -> new Seen(Optional.of(sample), Optional.empty());
        case Answer.Failed<Sample>(var error, _) when error == NvmlError.UNRESPONSIVE ->
            new Seen(seen.last(), Optional.of(answer.reason()));
        case Answer<Sample> none -> new Seen(Optional.empty(), Optional.of(none.reason()));
      };
    }

    private synchronized void close() {
      if (running.filter(job -> job.isOlderThan(TIMEOUT)).isEmpty()) {
        lane.begin(
            "ending samples",
            () -> {
              reader.close();
              return Answer.of(true);
            });
      }
    }
  }
}
