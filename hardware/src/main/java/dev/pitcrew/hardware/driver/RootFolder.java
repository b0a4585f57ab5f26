package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// What a search asks of a root. Paths are texts that begin with `/`; they are resolved as a
/// process would that is chrooted there, so nothing leads out.
record RootFolder(HostRoot root) {
  private static final int MAX_SMALL_FILE_BYTES = 64 * 1024;

  /// Where `path` really lies, with all links followed; empty where nothing is there.
  Optional<String> resolve(String path) {
    try {
      Path real = root.resolve(path);
      return Files.exists(real, LinkOption.NOFOLLOW_LINKS)
          ? Optional.of(root.hostPath(real))
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// The path outside of this root. Links are not followed: give it what [#resolve] answered.
  Path at(String path) {
    return root.folder().resolve(path.substring(1));
  }

  boolean isFolder(String path) {
    return resolve(path).filter(at -> Files.isDirectory(at(at))).isPresent();
  }

  /// Whether there is something that is not a folder.
  boolean isFile(String path) {
    return resolve(path).filter(at -> !Files.isDirectory(at(at))).isPresent();
  }

  /// The text of the link that `path` itself is.
  Optional<String> linkTarget(String path) {
    int slash = path.lastIndexOf('/');
    return resolve(path.substring(0, slash))
        .map(parent -> at(parent).resolve(path.substring(slash + 1)))
        .filter(Files::isSymbolicLink)
        .flatMap(RootFolder::linkText);
  }

  /// The paths below `parent` whose names are accepted, sorted.
  List<String> list(String parent, Predicate<String> names) {
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
  Optional<String> smallText(String path) {
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

  private static Optional<String> linkText(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Names with control characters are not of driver files, and would end up in command lines.
  private static boolean isPrintable(String name) {
    return name.chars().noneMatch(Character::isISOControl);
  }
}
