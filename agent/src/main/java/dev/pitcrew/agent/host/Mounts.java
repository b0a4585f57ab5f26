package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What is mounted where, in the order in which it was mounted.
record Mounts(List<Mount> all) {
  /// Those of the host's first process: `/proc/mounts` shows the reader's own.
  private static final String FILE = "/proc/1/mounts";

  private static final int POINT = 1;
  private static final int TYPE = 2;
  private static final int OPTIONS = 3;
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  Mounts {
    all = List.copyOf(all);
  }

  /// One line (fstab(5), as the kernel writes it).
  ///
  /// @param type of the file system, such as `ext4`
  record Mount(String point, String type, Set<String> options) {
    Mount {
      options = Set.copyOf(options);
    }

    boolean isReadOnly() {
      return options.contains("ro");
    }

    boolean forbidsPrograms() {
      return options.contains("noexec");
    }

    boolean isInMemory() {
      return IN_MEMORY.contains(type);
    }

    private boolean covers(String path) {
      return point.equals("/") || path.equals(point) || path.startsWith(point + "/");
    }
  }

  /// None where they cannot be read.
  static Mounts of(HostRoot host) {
    return of(host.text(FILE).orElse(""));
  }

  static Mounts of(String text) {
    return new Mounts(text.lines().flatMap(line -> mount(line).stream()).toList());
  }

  /// The one on which a path lies: the innermost, and of several on one point the last.
  Optional<Mount> under(String path) {
    return all.stream()
        .filter(mount -> mount.covers(path))
        .reduce((found, next) -> next.point().length() >= found.point().length() ? next : found);
  }

  private static Optional<Mount> mount(String line) {
    List<String> fields = Arrays.asList(line.split(" ", -1));
    return fields.size() <= OPTIONS
        ? Optional.empty()
        : Optional.of(
            new Mount(
                plain(fields.get(POINT)),
                fields.get(TYPE),
                Set.copyOf(Arrays.asList(fields.get(OPTIONS).split(",", -1)))));
  }

  /// The kernel writes a space as an octal number.
  private static String plain(String field) {
    return field.replace("\\040", " ");
  }
}
