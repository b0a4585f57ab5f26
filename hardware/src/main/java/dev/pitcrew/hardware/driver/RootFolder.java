package dev.pitcrew.hardware.driver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// A folder that is the root of some file system, such as a driver container's. Paths in it are
/// texts that begin with `/` and are resolved as a process would that is chrooted there: no link
/// and no `..` leads out.
public record RootFolder(Path folder) {
  /// As many as Linux follows before it answers ELOOP.
  private static final int MAX_LINKS = 40;

  private static final int MAX_SMALL_FILE_BYTES = 64 * 1024;

  /// Where `path` really lies, with all links followed; empty where nothing is there.
  public Optional<String> resolve(String path) {
    Deque<String> ahead = new ArrayDeque<>(components(path));
    List<String> done = new ArrayList<>();
    int links = 0;
    while (!ahead.isEmpty()) {
      String name = ahead.pop();
      if (name.equals("..")) {
        removeLast(done);
        continue;
      }
      done.add(name);
      Path here = at(join(done));
      if (Files.isSymbolicLink(here)) {
        if (++links > MAX_LINKS || !follow(here, done, ahead)) {
          return Optional.empty();
        }
      } else if (!Files.exists(here, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
    }
    return Optional.of(join(done));
  }

  /// The path outside of this root. Links are not followed: give it what [#resolve] answered.
  public Path at(String path) {
    return folder.resolve(path.substring(1));
  }

  public boolean isFolder(String path) {
    return resolve(path).filter(at -> Files.isDirectory(at(at))).isPresent();
  }

  /// Whether there is something that is not a folder.
  public boolean isFile(String path) {
    return resolve(path).filter(at -> !Files.isDirectory(at(at))).isPresent();
  }

  /// The text of the link that `path` itself is.
  public Optional<String> linkTarget(String path) {
    int slash = path.lastIndexOf('/');
    return resolve(path.substring(0, slash))
        .map(parent -> at(parent).resolve(path.substring(slash + 1)))
        .filter(Files::isSymbolicLink)
        .flatMap(RootFolder::linkText);
  }

  /// The paths below `parent` whose names are accepted, sorted.
  public List<String> list(String parent, Predicate<String> names) {
    Optional<String> resolved = resolve(parent).filter(at -> Files.isDirectory(at(at)));
    if (resolved.isEmpty()) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(at(resolved.get()))) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        if (isPrintable(name) && names.test(name)) {
          found.add(child(parent, name));
        }
      }
    } catch (IOException _) {
      // A folder that goes away while it is read, or that may not be read, has nothing for us.
      return List.of();
    }
    Collections.sort(found);
    return List.copyOf(found);
  }

  /// The text of a small file, such as the kernel's; empty where it cannot be read.
  public Optional<String> smallText(String path) {
    return resolve(path)
        .flatMap(at -> readAtMost(at(at), MAX_SMALL_FILE_BYTES))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip());
  }

  /// The first `limit` bytes of a file; empty where it cannot be read.
  static Optional<byte[]> readAtMost(Path file, int limit) {
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(in.readNBytes(limit));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  static String child(String parent, String name) {
    return parent.endsWith("/") ? parent + name : parent + "/" + name;
  }

  static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }

  static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static boolean follow(Path link, List<String> done, Deque<String> ahead) {
    Optional<String> target = linkText(link);
    if (target.isEmpty()) {
      return false;
    }
    removeLast(done);
    if (target.get().startsWith("/")) {
      done.clear();
    }
    components(target.get()).reversed().forEach(ahead::push);
    return true;
  }

  private static Optional<String> linkText(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static List<String> components(String path) {
    return Arrays.stream(path.split("/"))
        .filter(name -> !name.isEmpty() && !name.equals("."))
        .toList();
  }

  private static void removeLast(List<String> names) {
    if (!names.isEmpty()) {
      names.removeLast();
    }
  }

  private static String join(List<String> names) {
    return "/" + String.join("/", names);
  }

  /// Names with control characters are nobody's driver files, and would end up in command lines.
  private static boolean isPrintable(String name) {
    return name.chars().noneMatch(Character::isISOControl);
  }
}
