package dev.pitcrew.hardware;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// A folder that stands for `/` of another file system: the host as a container sees it, or a
/// driver container's root. All paths of the host go through it.
///
/// Paths are written as the other file system knows them, such as `/sys/bus/pci/devices`. Symbolic
/// links are followed as they would be there: an absolute target starts again at the root, and no
/// number of `..` leaves it.
public final class HostRoot {
  // As Linux: more links in one path are taken for a loop (ELOOP).
  private static final int LINK_LIMIT = 40;

  private final Path folder;

  /// @param folder absolute; `/` where the process lives on the host itself
  public HostRoot(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  /// The folder, as this process sees it.
  public Path folder() {
    return folder;
  }

  /// Whether this is the root of the process itself.
  public boolean isOwnRoot() {
    return folder.getParent() == null;
  }

  /// The root that lies at `hostPath` below this one, such as a driver container's root.
  public HostRoot below(String hostPath) throws IOException {
    return new HostRoot(resolve(hostPath));
  }

  /// Where this process finds `hostPath`, with all symbolic links followed, the last one too. What
  /// does not exist is kept as it is written.
  ///
  /// @throws FileSystemLoopException if links lead in a circle
  public Path resolve(String hostPath) throws IOException {
    return walk(names(Path.of(hostPath)), true);
  }

  /// As [#resolve]; a path that cannot be resolved is kept as it is written, so that opening it
  /// reports why.
  public Path place(String hostPath) {
    try {
      return resolve(hostPath);
    } catch (IOException _) {
      return folder.resolve(hostPath.substring(hostPath.startsWith("/") ? 1 : 0));
    }
  }

  /// As [#resolve], but where `hostPath` itself is a link, the place of that link.
  public Path resolveLink(String hostPath) throws IOException {
    return walk(names(Path.of(hostPath)), false);
  }

  /// How the other file system names a path of this process.
  ///
  /// @throws IllegalArgumentException if it does not lie below this root
  public String hostPath(Path resolved) {
    if (!resolved.startsWith(folder)) {
      throw new IllegalArgumentException(resolved + " does not lie below " + folder);
    }
    return "/" + folder.relativize(resolved);
  }

  /// Whether something is there, links followed; false where this cannot be determined.
  public boolean exists(String hostPath) {
    try {
      return Files.exists(resolve(hostPath), LinkOption.NOFOLLOW_LINKS);
    } catch (IOException _) {
      return false;
    }
  }

  /// The content of a small file without white space around it; empty where it cannot be read.
  public Optional<String> text(String hostPath) {
    return bytes(hostPath).map(content -> new String(content, StandardCharsets.UTF_8).strip());
  }

  /// The content of a small file; empty where it cannot be read.
  public Optional<byte[]> bytes(String hostPath) {
    try {
      return Optional.of(Files.readAllBytes(resolve(hostPath)));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// The names in a folder, sorted; none where it cannot be read.
  public List<String> names(String hostPath) {
    try (var entries = Files.list(resolve(hostPath))) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  /// The last name of what a link points to, such as the driver's for `…/driver`; empty where there
  /// is no link.
  public Optional<String> linkTargetName(String hostPath) {
    try {
      var target = Files.readSymbolicLink(resolveLink(hostPath));
      return Optional.ofNullable(target.getFileName()).map(Path::toString);
    } catch (IOException | UnsupportedOperationException _) {
      return Optional.empty();
    }
  }

  private Path walk(Deque<Path> ahead, boolean followLast) throws IOException {
    var place = folder;
    int links = 0;
    while (!ahead.isEmpty()) {
      var name = ahead.removeFirst();
      var next = step(place, name);
      if ((followLast || !ahead.isEmpty()) && Files.isSymbolicLink(next)) {
        if (++links > LINK_LIMIT) {
          throw new FileSystemLoopException(next.toString());
        }
        var target = Files.readSymbolicLink(next);
        prepend(ahead, target);
        place = target.isAbsolute() ? folder : place;
      } else {
        place = next;
      }
    }
    return place;
  }

  private Path step(Path place, Path name) {
    return switch (name.toString()) {
      case "", "." -> place;
      case ".." -> place.equals(folder) ? folder : parent(place);
      default -> place.resolve(name);
    };
  }

  private Path parent(Path place) {
    var parent = place.getParent();
    return parent == null ? folder : parent;
  }

  private static Deque<Path> names(Path path) {
    var names = new ArrayDeque<Path>();
    path.forEach(names::add);
    return names;
  }

  private static void prepend(Deque<Path> ahead, Path target) {
    var names = names(target);
    while (!names.isEmpty()) {
      ahead.addFirst(names.removeLast());
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostRoot root && root.folder.equals(folder);
  }

  @Override
  public int hashCode() {
    return folder.hashCode();
  }

  @Override
  public String toString() {
    return folder.toString();
  }
}
