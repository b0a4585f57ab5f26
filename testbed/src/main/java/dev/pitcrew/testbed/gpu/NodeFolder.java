package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/// Writes the files of a node below its folder, under the paths that the node knows them by.
record NodeFolder(Path root) {

  Path at(String hostPath) {
    return root.resolve("." + hostPath).normalize();
  }

  Path folder(String hostPath) {
    try {
      return Files.createDirectories(at(hostPath));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void text(String hostPath, String content) {
    bytes(hostPath, content.getBytes(StandardCharsets.UTF_8));
  }

  void bytes(String hostPath, byte[] content) {
    try {
      var file = at(hostPath);
      Files.createDirectories(file.resolveSibling("."));
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void executable(String hostPath) {
    text(hostPath, "#!/bin/sh\nexit 0\n");
    makeExecutable(hostPath);
  }

  private void makeExecutable(String hostPath) {
    if (!at(hostPath).toFile().setExecutable(true, false)) {
      throw new UncheckedIOException(new IOException("cannot make executable: " + hostPath));
    }
  }

  void link(String hostPath, String target) {
    try {
      var link = at(hostPath);
      Files.createDirectories(link.resolveSibling("."));
      Files.deleteIfExists(link);
      Files.createSymbolicLink(link, Path.of(target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void copy(Path source, String hostPath) {
    try {
      Files.createDirectories(at(hostPath).resolveSibling("."));
      Files.copy(source, at(hostPath), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void copyProgram(Path source, String hostPath) {
    copy(source, hostPath);
    makeExecutable(hostPath);
  }

  /// The names in a folder.
  List<String> names(String hostPath) {
    try (var entries = Files.list(at(hostPath))) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Copies a folder, which may be named by a link; the links in it stay links.
  void copyTree(String hostPath, String target) {
    try {
      var source = at(hostPath).toRealPath();
      try (var tree = Files.walk(source)) {
        for (var path : tree.toList()) {
          var copy = at(target).resolve(source.relativize(path).toString());
          Files.createDirectories(copy.resolveSibling("."));
          Files.copy(path, copy, LinkOption.NOFOLLOW_LINKS);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Takes a folder away without giving its inode back.
  void setAside(String hostPath) {
    Path path = at(hostPath);
    try {
      if (Files.exists(path)) {
        Files.move(path, path.resolveSibling("." + path.getFileName() + "-" + UUID.randomUUID()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Whole at once, be there something or not.
  void move(String from, String to) {
    try {
      Files.move(at(from), at(to), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> lines(String hostPath) {
    try {
      return Files.readAllLines(at(hostPath));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete(String hostPath) {
    try {
      Files.deleteIfExists(at(hostPath));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Deletes all that is in a folder, which stays: another program may have mounted it.
  void clear(String hostPath) {
    Path top = folder(hostPath);
    try (var below = Files.walk(top)) {
      for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(top)) {
          Files.delete(path);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
