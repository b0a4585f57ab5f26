package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pitcrew.hardware.nvml.ProcessUse.Processes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/// Reads the same numbers of one GPU and of its GPU instances again and again, into memory that is
/// laid out once. For one thread at a time.
public final class SampleReader {
  private static final int SUCCESS = 0;

  /// After one of these no other call can be believed.
  private static final Set<NvmlError> NOTHING_MORE =
      EnumSet.of(
          NvmlError.UNINITIALIZED,
          NvmlError.DRIVER_NOT_LOADED,
          NvmlError.GPU_IS_LOST,
          NvmlError.LIB_RM_VERSION_MISMATCH);

  /// What a board or its driver does not have, now and later. Other errors may pass.
  private static final Set<NvmlError> UNSUPPORTED =
      EnumSet.of(NvmlError.NOT_SUPPORTED, NvmlError.FUNCTION_NOT_FOUND, NvmlError.DEPRECATED);

  private final NvmlLibrary nvml;
  private final List<Source> sources;
  private final GaugeCalls gauges;
  private final FieldSamples fields;
  private final PortCounters ports;
  private final ProfilingCalls profiling;
  private final NvmlFunction eccErrors;
  private final NvmlFunction linkErrors;
  private final MemorySegment count;
  private final ProcessReader processes;

  /// The columns of each kind; those that one call answers stand together.
  private final int[] gaugeColumns;

  private final int[] countColumns;
  private final int[] fieldColumns;
  private final int[] portColumns;
  private final int[] profilingColumns;

  /// Columns of the reading that is under way.
  private final BitSet unsupported = new BitSet();

  /// A GPU, and where its instances are found.
  ///
  /// @param instances the MIG index of one device of each GPU instance, by the instance's id
  /// @param withProcesses whether to read what each process uses
  public record Target(int index, Map<Integer, Integer> instances, boolean withProcesses) {
    public Target {
      instances = Map.copyOf(instances);
    }
  }

  /// One row of numbers for the GPU and one for each GPU instance, in the order of the sources.
  /// What NVML does not report is NaN.
  ///
  /// @param takenNanos by System.nanoTime
  /// @param unsupported what NVML says that neither the GPU nor an instance of it has
  @SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed once published.
  public record Sample(
      long takenNanos,
      double[] whole,
      Map<Integer, double[]> instances,
      Set<Source> unsupported,
      Processes processes) {
    public Sample {
      instances = Map.copyOf(instances);
      unsupported = Set.copyOf(unsupported);
    }
  }

  SampleReader(NvmlLibrary nvml, NvmlFunction.Table table, List<Source> sources) {
    // Not closed: a call that hangs may still write. It is freed when no reference to it is left.
    var arena = Arena.ofAuto();
    this.nvml = nvml;
    this.sources = List.copyOf(sources);
    gauges = new GaugeCalls(table, arena);
    gaugeColumns = columns(Source.Call.class, Comparator.comparing(SampleReader::callOf));
    countColumns = columns(Source.Count.class, Comparator.comparingInt(_ -> 0));
    eccErrors =
        table.of(
            List.of("nvmlDeviceGetMemoryErrorCounter"),
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            ADDRESS);
    linkErrors =
        table.of(List.of("nvmlDeviceGetNvLinkErrorCounter"), ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    count = arena.allocate(JAVA_LONG);
    fieldColumns = columns(Source.FieldValue.class, Comparator.comparingInt(_ -> 0));
    portColumns = columns(Source.PortCounter.class, Comparator.comparingInt(_ -> 0));
    profilingColumns = columns(Source.Profiling.class, Comparator.comparingInt(_ -> 0));
    fields = new FieldSamples(table, arena, at(fieldColumns, Source.FieldValue.class));
    ports = new PortCounters(table, arena, at(portColumns, Source.PortCounter.class));
    profiling = new ProfilingCalls(table, arena, at(profilingColumns, Source.Profiling.class));
    processes = new ProcessReader(table);
  }

  private int[] columns(Class<? extends Source> kind, Comparator<Source> order) {
    return IntStream.range(0, sources.size())
        .filter(column -> kind.isInstance(sources.get(column)))
        .boxed()
        .sorted(Comparator.comparing(sources::get, order))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private <T extends Source> List<T> at(int[] columns, Class<T> kind) {
    return Arrays.stream(columns).mapToObj(column -> kind.cast(sources.get(column))).toList();
  }

  private static String callOf(Source source) {
    var reader = ((Source.Call) source).gauge().reader();
    return "%s %d %d".formatted(reader.function(), reader.argument(), reader.version());
  }

  /// Reads every number again. Fails where the GPU or the driver no longer answers.
  public Answer<Sample> read(Target target) {
    profiling.keepOnly(parts(target));
    return nvml.driver().deviceAt(target.index()).flatMap(gpu -> read(target, gpu));
  }

  private static Set<Integer> parts(Target target) {
    return target.instances().isEmpty()
        ? Set.of(ProfilingCalls.WHOLE_GPU)
        : target.instances().keySet();
  }

  private Answer<Sample> read(Target target, DeviceHandle gpu) {
    unsupported.clear();
    var whole = nothing();
    Optional<NvmlError> end =
        readGauges(gpu, whole, false)
            .or(() -> readCounts(gpu, whole))
            .or(() -> readBatch(gpu, fields, fieldColumns, whole))
            .or(() -> readBatch(gpu, ports, portColumns, whole))
            .or(() -> readProfiling(gpu, target, whole));
    var instances = new LinkedHashMap<Integer, double[]>();
    for (var instance : target.instances().entrySet()) {
      instances.put(instance.getKey(), whole.clone());
      end = end.or(() -> readInstance(gpu, instance.getKey(), instance.getValue(), instances));
    }
    return end.<Answer<Sample>>map(error -> Answer.failed(error, "sampling GPU " + target.index()))
        .orElseGet(() -> {
          var used = target.withProcesses() ? processes.read(gpu) : Processes.NONE;
          return Answer.of(sample(whole, instances, used));
        });
  }

  private Sample sample(double[] whole, Map<Integer, double[]> instances, Processes used) {
    var missing = new HashSet<Source>();
    for (int column : unsupported.stream().toArray()) {
      boolean isOfSome = instances.values().stream().anyMatch(row -> !Double.isNaN(row[column]));
      if (!isOfSome) {
        missing.add(sources.get(column));
      }
    }
    return new Sample(System.nanoTime(), whole, instances, missing, used);
  }

  /// The number of a column; not a number, and noted, where NVML has returned that there is none.
  private double number(int column, int returned, double value) {
    if (returned == SUCCESS) {
      return value;
    }
    if (UNSUPPORTED.contains(NvmlError.of(returned))) {
      unsupported.set(column);
    }
    return Double.NaN;
  }

  private Optional<NvmlError> readInstance(
      DeviceHandle gpu, int id, int migIndex, Map<Integer, double[]> instances) {
    var row = instances.getOrDefault(id, nothing());
    for (int column = 0; column < sources.size(); column++) {
      row[column] = sources.get(column).isOfInstance() ? Double.NaN : row[column];
    }
    // The layout may have changed since it was looked at: another instance's numbers are not ours.
    Optional<DeviceHandle> device =
        nvml.mig()
            .deviceAt(gpu, migIndex)
            .toOptional()
            .filter(found -> nvml.mig().gpuInstanceId(found).orElse(-1) == id);
    if (device.isEmpty()) {
      return Optional.empty();
    }
    return readGauges(device.get(), row, true).or(() -> readProfiling(gpu, id, row));
  }

  /// @param ofInstance leaves out what only a whole GPU has
  private Optional<NvmlError> readGauges(DeviceHandle device, double[] row, boolean ofInstance) {
    Optional<Gauge> last = Optional.empty();
    int code = SUCCESS;
    for (int column : gaugeColumns) {
      var gauge = ((Source.Call) sources.get(column)).gauge();
      if (ofInstance && !gauge.isOfInstance()) {
        continue;
      }
      if (last.filter(it -> GaugeCalls.isSameCall(it, gauge)).isEmpty()) {
        code = gauges.call(gauge, device);
        if (endsAll(code)) {
          return Optional.of(NvmlError.of(code));
        }
      }
      last = Optional.of(gauge);
      row[column] = number(column, code, code == SUCCESS ? gauges.value(gauge) : Double.NaN);
    }
    return Optional.empty();
  }

  private Optional<NvmlError> readCounts(DeviceHandle gpu, double[] row) {
    for (int column : countColumns) {
      int code =
          switch ((Source.Count) sources.get(column)) {
            case Source.EccErrors(int type, int counter, int location) ->
                eccErrors.call(gpu.pointer(), type, counter, location, count);
            case Source.LinkErrors(int counter, int link) ->
                linkErrors.call(gpu.pointer(), link, counter, count);
          };
      if (endsAll(code)) {
        return Optional.of(NvmlError.of(code));
      }
      row[column] = number(column, code, (double) count.get(JAVA_LONG, 0));
    }
    return Optional.empty();
  }

  private Optional<NvmlError> readBatch(
      DeviceHandle gpu, Batch batch, int[] columns, double[] row) {
    int code = batch.call(gpu);
    for (int i = 0; i < columns.length; i++) {
      int returned = code == SUCCESS ? batch.returned(i) : code;
      if (endsAll(returned)) {
        return Optional.of(NvmlError.of(returned));
      }
      row[columns[i]] = number(columns[i], returned, batch.value(i));
    }
    return Optional.empty();
  }

  /// A GPU that is divided has no numbers of its own here.
  private Optional<NvmlError> readProfiling(DeviceHandle gpu, Target target, double[] row) {
    return target.instances().isEmpty()
        ? readProfiling(gpu, ProfilingCalls.WHOLE_GPU, row)
        : Optional.empty();
  }

  private Optional<NvmlError> readProfiling(DeviceHandle gpu, int part, double[] row) {
    if (profilingColumns.length == 0) {
      return Optional.empty();
    }
    int code = profiling.sample(gpu, part);
    if (endsAll(code)) {
      return Optional.of(NvmlError.of(code));
    }
    for (int i = 0; i < profilingColumns.length; i++) {
      int returned = code == SUCCESS ? profiling.returned(i) : code;
      row[profilingColumns[i]] = number(profilingColumns[i], returned, profiling.value(i));
    }
    return Optional.empty();
  }

  private double[] nothing() {
    var row = new double[sources.size()];
    Arrays.fill(row, Double.NaN);
    return row;
  }

  private static boolean endsAll(int code) {
    return code != SUCCESS && NOTHING_MORE.contains(NvmlError.of(code));
  }

  /// Gives back what NVML keeps for us.
  public void close() {
    profiling.keepOnly(Set.of());
  }
}
