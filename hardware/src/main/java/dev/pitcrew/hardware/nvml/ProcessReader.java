package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pitcrew.hardware.nvml.ProcessUse.Processes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads again and again what each process uses of one GPU, into memory that grows as far as NVML
/// asks for it. For one thread at a time.
final class ProcessReader {
  private static final int SUCCESS = 0;

  /// NVML_VALUE_NOT_AVAILABLE
  private static final long NOT_AVAILABLE = -1;

  private static final int FIRST_ROOM = 16;

  /// More than any driver has asked for: 4096 samples is the most that was seen.
  private static final int MOST = 8192;

  /// Processes come and go between a call that asks for more room and the next one.
  private static final int TRIES = 4;

  /// The driver measures every sixth of a second to every second, by the board (nvml.h,
  /// nvmlDeviceGetUtilizationRates).
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

  /// In a shorter time a busy process might have no sample, and be taken for an idle one.
  private static final Duration SHORTEST = LONGEST_PERIOD.multipliedBy(2);

  private static final int MOST_PERCENT = 100;

  private static final long PROCESS_BYTES = Layouts.PROCESS_INFO.byteSize();
  private static final long MEMORY = Layouts.offset(Layouts.PROCESS_INFO, "usedGpuMemory");
  private static final long INSTANCE = Layouts.offset(Layouts.PROCESS_INFO, "gpuInstanceId");

  private static final StructLayout SAMPLE = Layouts.PROCESS_UTILIZATION_SAMPLE;
  private static final long SAMPLE_BYTES = SAMPLE.byteSize();
  private static final long TAKEN = Layouts.offset(SAMPLE, "timeStamp");
  private static final long MULTIPROCESSORS = Layouts.offset(SAMPLE, "smUtil");

  private final List<NvmlFunction> lists;
  private final NvmlFunction mpsClients;
  private final NvmlFunction utilisation;
  private final MemorySegment count = Arena.ofAuto().allocate(JAVA_INT);
  private MemorySegment room = room(FIRST_ROOM);

  /// The time stamp of the newest sample of all.
  private long newest;

  private OptionalLong readNanos = OptionalLong.empty();
  private long sinceNanos;
  private Optional<Map<Integer, Sampled>> sampled = Optional.empty();

  private record Sampled(long taken, int percent) {}

  /// A call that fills an array whose size is in [#count].
  private interface Filling {
    int call();
  }

  ProcessReader(NvmlFunction.Table table) {
    mpsClients =
        table.pair(
            "nvmlDeviceGetMPSComputeRunningProcesses_v3",
            "nvmlDeviceGetMPSComputeRunningProcesses_v2");
    lists =
        List.of(
            table.pair(
                "nvmlDeviceGetComputeRunningProcesses_v3",
                "nvmlDeviceGetComputeRunningProcesses_v2"),
            table.pair(
                "nvmlDeviceGetGraphicsRunningProcesses_v3",
                "nvmlDeviceGetGraphicsRunningProcesses_v2"),
            mpsClients);
    utilisation =
        table.of(List.of("nvmlDeviceGetProcessUtilization"), ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
  }

  private static MemorySegment room(int processes) {
    return Arena.ofAuto().allocate(processes * Math.max(PROCESS_BYTES, SAMPLE_BYTES), Long.BYTES);
  }

  private int places() {
    return (int) (room.byteSize() / Math.max(PROCESS_BYTES, SAMPLE_BYTES));
  }

  /// The processes of a GPU and of its instances; none where NVML does not list them.
  Processes read(DeviceHandle gpu) {
    var found = new LinkedHashMap<Listed, Double>();
    boolean hasClients = false;
    for (NvmlFunction list : lists) {
      int code = fill(() -> list.call(gpu.pointer(), count, room));
      int listed = code == SUCCESS ? listed() : 0;
      if (code != SUCCESS && !isAbsent(code)) {
        return Processes.NONE;
      }
      for (int i = 0; i < listed; i++) {
        long at = i * PROCESS_BYTES;
        // One that computes and draws is in both lists, with the same memory.
        found.merge(
            new Listed(room.get(JAVA_INT, at), room.get(JAVA_INT, at + INSTANCE)),
            bytes(room.get(JAVA_LONG, at + MEMORY)),
            Math::max);
      }
      hasClients |= list == mpsClients && listed > 0;
    }
    measure(gpu);
    // The sample of an MPS server includes its clients. R580 with an H200 and two busy clients
    // reports 95 % for the server and has no sample of a client, so a missing sample is not zero.
    boolean isZeroKnown = !hasClients;
    return new Processes(
        found.entrySet().stream().map(it -> use(it.getKey(), it.getValue(), isZeroKnown)).toList(),
        sinceNanos);
  }

  private record Listed(int id, int gpuInstance) {}

  private ProcessUse use(Listed process, double bytes, boolean isZeroKnown) {
    double otherwise = isZeroKnown ? 0 : Double.NaN;
    double percent =
        sampled
            .map(samples ->
                Optional.ofNullable(samples.get(process.id()))
                    .map(it -> (double) it.percent())
                    .orElse(otherwise))
            .orElse(Double.NaN);
    return new ProcessUse(process.id(), process.gpuInstance(), bytes, percent);
  }

  /// What happened before the first reading has no beginning, so that reading is only one.
  private void measure(DeviceHandle gpu) {
    long now = System.nanoTime();
    if (readNanos.isPresent() && now - readNanos.getAsLong() < SHORTEST.toNanos()) {
      return;
    }
    boolean isFirst = readNanos.isEmpty();
    sinceNanos = readNanos.orElse(now) - LONGEST_PERIOD.toNanos();
    readNanos = OptionalLong.of(now);
    int code = fill(() -> utilisation.call(gpu.pointer(), room, count, newest));
    var found = code == SUCCESS ? samples() : Map.<Integer, Sampled>of();
    boolean isAnswer = code == SUCCESS || code == NvmlError.NOT_FOUND.code();
    sampled = isAnswer && !isFirst ? Optional.of(found) : Optional.empty();
  }

  /// Some drivers report processes without number and more than a hundred percent
  /// (github.com/Syllo/nvtop/issues/110).
  private Map<Integer, Sampled> samples() {
    var found = new HashMap<Integer, Sampled>();
    int listed = listed();
    for (int i = 0; i < listed; i++) {
      long at = i * SAMPLE_BYTES;
      int percent = room.get(JAVA_INT, at + MULTIPROCESSORS);
      int process = room.get(JAVA_INT, at);
      if (process > 0 && percent >= 0 && percent <= MOST_PERCENT) {
        var sample = new Sampled(room.get(JAVA_LONG, at + TAKEN), percent);
        found.merge(process, sample, (one, other) -> one.taken() < other.taken() ? other : one);
        newest = Math.max(newest, sample.taken());
      }
    }
    return found;
  }

  /// Calls until the array is large enough, or as large as it may become.
  private int fill(Filling filling) {
    int code = SUCCESS;
    for (int i = 0; i < TRIES; i++) {
      count.set(JAVA_INT, 0, places());
      code = filling.call();
      int wanted = count.get(JAVA_INT, 0);
      if (code != NvmlError.INSUFFICIENT_SIZE.code() || wanted <= places() || wanted > MOST) {
        return code;
      }
      room = room(wanted + FIRST_ROOM);
    }
    return code;
  }

  private int listed() {
    return Math.clamp(count.get(JAVA_INT, 0), 0, places());
  }

  private static boolean isAbsent(int code) {
    return switch (NvmlError.of(code)) {
      case NOT_SUPPORTED, FUNCTION_NOT_FOUND -> true;
      default -> false;
    };
  }

  private static double bytes(long reported) {
    return reported == NOT_AVAILABLE ? Double.NaN : reported;
  }
}
