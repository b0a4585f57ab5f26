package dev.pitcrew.testbed.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What a pod's memory comes to, as the kernel counts it.
///
/// @param agent empty where only the gate runs
/// @param container the container's cgroup
/// @param pod the cgroup around it, with the pause process
record PodMemory(Resident gate, Optional<Resident> agent, Cgroup container, Cgroup pod) {
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double KIB_PER_MIB = 1 << 10;
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  /// @param residentMib `VmRSS`
  /// @param anonymousMib `RssAnon`, the part of it that no file backs
  record Resident(double residentMib, double anonymousMib) {
    private static Resident of(PodProcesses.OfPod process) {
      var status = text(process.folder().resolve("status"));
      return new Resident(
          number(status, "VmRSS:\\s+") / KIB_PER_MIB, number(status, "RssAnon:\\s+") / KIB_PER_MIB);
    }
  }

  /// @param usedMib with the page cache
  /// @param workingSetMib without inactive pages of files, as the kubelet counts against a limit
  record Cgroup(double usedMib, double workingSetMib) {
    private static Cgroup at(Path folder) {
      var used = number(text(first(folder, "memory.current", "memory.usage_in_bytes")), "");
      var inactive = number(text(folder.resolve("memory.stat")), "(?:total_)?inactive_file ");
      return new Cgroup(used / BYTES_PER_MIB, (used - inactive) / BYTES_PER_MIB);
    }
  }

  static PodMemory of(PodProcesses processes) {
    var gate = processes.gate().orElseThrow();
    var container = cgroup(text(gate.folder().resolve("cgroup")));
    return new PodMemory(
        Resident.of(gate),
        processes.agent().map(Resident::of),
        Cgroup.at(container),
        Cgroup.at(Objects.requireNonNull(container.getParent())));
  }

  /// Reads `/proc/<pid>/cgroup`, of either version.
  private static Path cgroup(String text) {
    return text.lines()
        .map(line -> List.of(line.split(":", 3)))
        .filter(fields -> fields.get(1).equals("memory") || fields.getFirst().equals("0"))
        .map(fields -> CGROUPS.resolve(fields.get(1)).resolve(fields.get(2).substring(1)))
        .filter(folder -> Files.exists(folder.resolve("memory.stat")))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no cgroup of memory among " + text));
  }

  private static Path first(Path folder, String... names) {
    return Stream.of(names).map(folder::resolve).filter(Files::exists).findFirst().orElseThrow();
  }

  /// Of a cgroup that has others in it the first version also counts itself alone; totals begin
  /// with `total_` and come last.
  private static double number(String text, String before) {
    return Pattern.compile("(?m)^" + before + "(\\d+)")
        .matcher(text)
        .results()
        .reduce((_, later) -> later)
        .map(found -> Double.parseDouble(found.group(1)))
        .orElseThrow(() -> new IllegalArgumentException("no '" + before + "' in " + text));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }
}
