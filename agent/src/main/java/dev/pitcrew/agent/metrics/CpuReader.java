package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Origin.CpuNumber;
import dev.pitcrew.hardware.HostRoot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Reads the processors of a machine with NVIDIA's own (Grace), as the kernel shows them. On other
/// machines there are none, as with DCGM. Used by one thread.
final class CpuReader {
  /// NVIDIA's number in JEDEC's list of makers, and Grace among its chips.
  private static final Pattern SOC = Pattern.compile("jep106:036b:(?<chip>[0-9a-f]{4})");

  private static final String GRACE = "0241";
  private static final Pattern RANGE = Pattern.compile("(?<first>\\d{1,4})(?:-(?<last>\\d{1,4}))?");
  private static final Pattern METER =
      Pattern.compile("(?<what>CPU|Module|SysIO|Grace) Power Socket (?<socket>\\d{1,3})");
  private static final Pattern ZONE = Pattern.compile("\\S+ \\S+ Skt(?<socket>\\d{1,3}) TJMax");
  private static final Pattern CORE = Pattern.compile("cpu(\\d{1,4})");
  private static final int TRIP_POINTS = 2;
  private static final double MILLIONTH = 1e-6;
  private static final double THOUSANDTH = 1e-3;

  // Columns of a line of /proc/stat after its name.
  private static final int USER = 0;
  private static final int NICE = 1;
  private static final int SYSTEM = 2;
  private static final int IDLE = 3;
  private static final int IRQ = 5;

  /// Up to steal: the time of guests after it is part of user and nice.
  private static final int COLUMNS = 8;

  private final HostRoot host;
  private Optional<Machine> machine = Optional.empty();
  private boolean isLookedAt;
  private Map<Integer, long[]> before = Map.of();

  /// Numbers of one processor and of its cores; what the kernel does not report is absent.
  record Cpu(int id, Map<CpuNumber, Double> numbers, Map<Integer, Map<CpuNumber, Double>> cores) {}

  /// What does not change while the machine runs.
  ///
  /// @param files the file of each number and its unit, by socket
  private record Machine(
      String model, List<Place> cpus, Map<Integer, Map<CpuNumber, Scaled>> files) {}

  private record Place(int id, int socket, List<Integer> cores) {}

  private record Scaled(String file, double factor) {}

  CpuReader(HostRoot host) {
    this.host = host;
  }

  /// `Grace`, or empty where the processors are not NVIDIA's.
  Optional<String> model() {
    return machine().map(Machine::model);
  }

  /// The processors now; none on machines of other makers. What cores did is known from the second
  /// reading on.
  List<Cpu> read() {
    if (machine().isEmpty()) {
      return List.of();
    }
    Map<Integer, long[]> now = times();
    Map<Integer, long[]> last = before;
    before = now;
    return machine().get().cpus().stream()
        .map(cpu -> new Cpu(cpu.id(), numbers(cpu), cores(cpu, last, now)))
        .toList();
  }

  private Optional<Machine> machine() {
    if (!isLookedAt) {
      isLookedAt = true;
      machine = chip().map(chip -> machine(chip.equals(GRACE) ? "Grace" : "Unknown"));
    }
    return machine;
  }

  private Optional<String> chip() {
    return host.names("/sys/devices").stream()
        .filter(name -> name.startsWith("soc"))
        .flatMap(name -> host.text("/sys/devices/" + name + "/soc_id").stream())
        .map(SOC::matcher)
        .filter(Matcher::matches)
        .map(it -> it.group("chip"))
        .findFirst();
  }

  private Machine machine(String model) {
    var packages = new LinkedHashMap<Integer, Integer>();
    var cores = new LinkedHashMap<Integer, List<Integer>>();
    for (int node : range("/sys/devices/system/node/has_cpu")) {
      List<Integer> ofNode = range("/sys/devices/system/node/node" + node + "/cpulist");
      if (!ofNode.isEmpty()) {
        cores.put(node, ofNode);
        packages.put(node, packageOf(ofNode.getFirst()));
      }
    }
    // Firmware numbers packages as it likes; the names of sensors count sockets from 0.
    List<Integer> sockets = packages.values().stream().distinct().sorted().toList();
    var files = new HashMap<Integer, Map<CpuNumber, Scaled>>();
    meters(files);
    thermometers(files);
    return new Machine(
        model,
        cores.entrySet().stream()
            .map(it -> {
              int socket = sockets.indexOf(packages.getOrDefault(it.getKey(), 0));
              return new Place(it.getKey(), socket, it.getValue());
            })
            .toList(),
        Map.copyOf(files));
  }

  private int packageOf(int core) {
    return host.text("/sys/devices/system/cpu/cpu%d/topology/physical_package_id".formatted(core))
        .flatMap(CpuReader::number)
        .map(Double::intValue)
        .orElse(0);
  }

  private void meters(Map<Integer, Map<CpuNumber, Scaled>> files) {
    for (String name : host.names("/sys/class/hwmon")) {
      String folder = "/sys/class/hwmon/" + name + "/device/";
      Matcher meter = METER.matcher(host.text(folder + "power1_oem_info").orElse(""));
      if (meter.matches()) {
        CpuNumber what =
            switch (meter.group("what")) {
              case "CPU" -> CpuNumber.POWER;
              case "Module" -> CpuNumber.MODULE_POWER;
              case "SysIO" -> CpuNumber.SYSIO_POWER;
              default -> CpuNumber.POWER_LIMIT;
            };
        String file = what == CpuNumber.POWER_LIMIT ? "power1_cap" : "power1_average";
        put(files, meter.group("socket"), what, new Scaled(folder + file, MILLIONTH));
      }
    }
  }

  private void thermometers(Map<Integer, Map<CpuNumber, Scaled>> files) {
    for (String name : host.names("/sys/class/thermal")) {
      String folder = "/sys/class/thermal/" + name + "/";
      Matcher zone = ZONE.matcher(host.text(folder + "device/description").orElse(""));
      if (zone.matches()) {
        String socket = zone.group("socket");
        put(files, socket, CpuNumber.TEMP, new Scaled(folder + "temp", THOUSANDTH));
        for (int trip = 0; trip < TRIP_POINTS; trip++) {
          var at = new Scaled(folder + "trip_point_%d_temp".formatted(trip), THOUSANDTH);
          switch (host.text(folder + "trip_point_%d_type".formatted(trip)).orElse("")) {
            case "critical" -> put(files, socket, CpuNumber.TEMP_CRITICAL, at);
            case "passive" -> put(files, socket, CpuNumber.TEMP_WARNING, at);
            default -> {}
          }
        }
      }
    }
  }

  /// The first of a kind counts.
  private static void put(
      Map<Integer, Map<CpuNumber, Scaled>> files, String socket, CpuNumber what, Scaled file) {
    files
        .computeIfAbsent(Integer.valueOf(socket), _ -> new EnumMap<>(CpuNumber.class))
        .putIfAbsent(what, file);
  }

  private Map<CpuNumber, Double> numbers(Place cpu) {
    var numbers = new EnumMap<CpuNumber, Double>(CpuNumber.class);
    machine
        .map(it -> it.files().getOrDefault(cpu.socket(), Map.of()))
        .orElse(Map.of())
        .forEach((what, file) ->
            host.text(file.file())
                .flatMap(CpuReader::number)
                .ifPresent(it -> numbers.put(what, it * file.factor())));
    return numbers;
  }

  private Map<Integer, Map<CpuNumber, Double>> cores(
      Place cpu, Map<Integer, long[]> last, Map<Integer, long[]> now) {
    var cores = new LinkedHashMap<Integer, Map<CpuNumber, Double>>();
    for (int core : cpu.cores()) {
      var numbers = new EnumMap<CpuNumber, Double>(CpuNumber.class);
      long[] from = last.get(core);
      long[] to = now.get(core);
      if (from != null && to != null) {
        shares(from, to, numbers);
      }
      host.text("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq".formatted(core))
          .flatMap(CpuReader::number)
          .ifPresent(it -> numbers.put(CpuNumber.CLOCK, it));
      cores.put(core, numbers);
    }
    return cores;
  }

  /// Of all the time, from 0 to 1.
  private static void shares(long[] from, long[] to, Map<CpuNumber, Double> numbers) {
    double all = Arrays.stream(to).sum() - Arrays.stream(from).sum();
    if (all > 0) {
      numbers.put(CpuNumber.UTIL_TOTAL, 1 - (to[IDLE] - from[IDLE]) / all);
      numbers.put(CpuNumber.UTIL_USER, (to[USER] - from[USER]) / all);
      numbers.put(CpuNumber.UTIL_NICE, (to[NICE] - from[NICE]) / all);
      numbers.put(CpuNumber.UTIL_SYS, (to[SYSTEM] - from[SYSTEM]) / all);
      numbers.put(CpuNumber.UTIL_IRQ, (to[IRQ] - from[IRQ]) / all);
    }
  }

  /// The times of each core, by its number (proc_stat(5)).
  private Map<Integer, long[]> times() {
    var times = new HashMap<Integer, long[]>();
    host.text("/proc/stat")
        .orElse("")
        .lines()
        .map(line -> line.split(" +", -1))
        .filter(words -> words.length > COLUMNS && CORE.matcher(words[0]).matches())
        .forEach(words ->
            times.put(
                Integer.valueOf(words[0].substring("cpu".length())),
                Arrays.stream(words, 1, COLUMNS + 1)
                    .mapToLong(word -> number(word).orElse(0.0).longValue())
                    .toArray()));
    return times;
  }

  /// Such as `0-71,144`.
  private List<Integer> range(String file) {
    var numbers = new ArrayList<Integer>();
    for (String part : host.text(file).orElse("").split(",", -1)) {
      Matcher range = RANGE.matcher(part);
      if (range.matches()) {
        int first = Integer.parseInt(range.group("first"));
        int last = Optional.ofNullable(range.group("last")).map(Integer::parseInt).orElse(first);
        IntStream.rangeClosed(first, last).forEach(numbers::add);
      }
    }
    return numbers;
  }

  private static Optional<Double> number(String text) {
    try {
      return Optional.of(Double.valueOf(text));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }
}
