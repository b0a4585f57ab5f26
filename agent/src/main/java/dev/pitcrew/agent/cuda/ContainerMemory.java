package dev.pitcrew.agent.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// The memory of the cgroup in which this process runs: how much of it is left, and which process
/// the kernel ends where it runs out (cgroup v2, and the memory controller of v1).
///
/// @param membership such as `/proc/self/cgroup`
/// @param cgroups where the kernel shows cgroups, such as `/sys/fs/cgroup`
record ContainerMemory(Path membership, Path cgroups) {
  private static final String LIMIT = "memory.max";
  private static final String END_ALL = "memory.oom.group";

  /// What cgroup v1 says for no limit is the largest number of whole pages.
  private static final long NO_LIMIT = 1L << 60;

  static ContainerMemory ofThisProcess() {
    return new ContainerMemory(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
  }

  /// @param folder of the cgroup
  /// @param top its outermost ancestor that can be seen
  private record Place(Path folder, Path top, Names names) {
    /// The cgroup and the one around it: the limit of a pod counts as that of its container.
    List<Path> upwards() {
      return Stream.iterate(folder, at -> at != null && at.startsWith(top), Path::getParent)
          .limit(2)
          .toList();
    }
  }

  /// @param reclaimable the keys in `memory.stat` of the page cache, which the kernel reclaims
  ///   before it kills a process. Shared memory is not part of either. The first agent on a node is
  ///   charged for the pages of its image, many of them active.
  private record Names(String limit, String usage, List<String> reclaimable, String events) {
    static final Names V2 =
        new Names(
            LIMIT, "memory.current", List.of("inactive_file", "active_file"), "memory.events");
    static final Names V1 =
        new Names(
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            List.of("total_inactive_file", "total_active_file"),
            "memory.oom_control");
  }

  /// @param left in bytes, up to the limit
  record Room(long left, long limit) {}

  /// What is left up to the nearest limit; empty where there is none.
  Optional<Room> room() {
    return place().stream()
        .flatMap(place -> place.upwards().stream().map(folder -> room(folder, place.names())))
        .flatMap(Optional::stream)
        .min(Comparator.comparingLong(Room::left));
  }

  private static Optional<Room> room(Path folder, Names names) {
    OptionalLong limit = number(folder.resolve(names.limit()));
    OptionalLong usage = number(folder.resolve(names.usage()));
    if (limit.isEmpty() || usage.isEmpty() || limit.getAsLong() >= NO_LIMIT) {
      return Optional.empty();
    }
    Path stat = folder.resolve("memory.stat");
    long reclaimable =
        names.reclaimable().stream().mapToLong(key -> entry(stat, key).orElse(0)).sum();
    return Optional.of(
        new Room(
            Math.max(0, limit.getAsLong() - usage.getAsLong() + reclaimable), limit.getAsLong()));
  }

  /// How many processes of the cgroup the kernel has ended for want of memory; empty where it does
  /// not count them.
  OptionalLong ended() {
    return place()
        .map(place -> entry(place.folder().resolve(place.names().events()), "oom_kill"))
        .orElseGet(OptionalLong::empty);
  }

  /// Has the kernel end one process, and not all of the container: a kubelet asks for the latter on
  /// cgroup v2 (since 1.28, without `singleProcessOOMKill`). The gate does the same for commands.
  ///
  /// @return why it would end all
  Optional<String> endOneAlone() {
    Optional<Path> file = place().map(place -> place.folder().resolve(END_ALL));
    if (file.flatMap(ContainerMemory::text).filter("1"::equals).isEmpty()) {
      return Optional.empty();
    }
    try {
      Files.writeString(file.get(), "0");
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s is 1 and cannot be set to 0 (%s)".formatted(file.get(), e));
    }
  }

  private Optional<Place> place() {
    List<String> lines = text(membership).stream().flatMap(String::lines).toList();
    return Stream.of(
            placed(lines, "0::", cgroups, Names.V2),
            placed(lines, ":memory:", cgroups.resolve("memory"), Names.V1))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /// A container may see its own cgroup as the outermost one, and read the name that it has on the
  /// host.
  private static Optional<Place> placed(List<String> lines, String mark, Path top, Names names) {
    return lines.stream()
        .filter(line -> mark.startsWith("0") ? line.startsWith(mark) : line.contains(mark))
        .map(line -> line.substring(line.indexOf(mark) + mark.length()))
        .flatMap(path -> Stream.of(top.resolve("." + path).normalize(), top.normalize()))
        .filter(folder -> Files.isReadable(folder.resolve(names.usage())))
        .map(folder -> new Place(folder, top.normalize(), names))
        .findFirst();
  }

  private static OptionalLong number(Path file) {
    return text(file).map(ContainerMemory::number).orElseGet(OptionalLong::empty);
  }

  /// Empty for `max` as well.
  private static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /// The value of a line `key value`.
  private static OptionalLong entry(Path file, String key) {
    return text(file).stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(key + " "))
        .map(line -> number(line.substring(key.length() + 1).strip()))
        .findFirst()
        .orElseGet(OptionalLong::empty);
  }

  private static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
