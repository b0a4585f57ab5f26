package dev.pitcrew.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;

/// A folder that is filled with files as old as the Unix epoch, which is how old the archive says
/// that they are: a JVM that is trained on this folder remembers the age of each jar.
record FileTree(Path root) {
  private static final FileTime EPOCH = FileTime.fromMillis(0);

  /// The empty folder `root`; what was there is gone.
  static FileTree empty(Path root) {
    try {
      delete(root);
      Files.createDirectories(root);
      return new FileTree(root);
    } catch (IOException e) {
      throw new UncheckedIOException("make the folder " + root, e);
    }
  }

  static void delete(Path root) throws IOException {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    List<Path> all;
    try (var tree = Files.walk(root)) {
      all = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (var path : all) {
      Files.delete(path);
    }
  }

  Path at(String target) {
    return root.resolve(target.substring(1));
  }

  void folder(String target) {
    try {
      Files.createDirectories(at(target));
    } catch (IOException e) {
      throw new UncheckedIOException("make the folder " + at(target), e);
    }
  }

  /// A copy of the file `source`, or of the link that it is.
  void copy(Path source, String target) {
    try {
      var copy = place(target);
      Files.copy(source, copy, StandardCopyOption.REPLACE_EXISTING, LinkOption.NOFOLLOW_LINKS);
      if (!Files.isSymbolicLink(copy)) {
        Files.setLastModifiedTime(copy, EPOCH);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("copy " + source + " to " + at(target), e);
    }
  }

  /// A copy of everything under `folder`.
  void copyTree(Path folder, String target) {
    try (var tree = Files.walk(folder)) {
      for (var path : (Iterable<Path>) tree::iterator) {
        var place = Path.of(target).resolve(folder.relativize(path).toString()).normalize();
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          folder(place.toString());
        } else {
          copy(path, place.toString());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("read " + folder, e);
    }
  }

  void write(String target, byte[] content) {
    try {
      Files.setLastModifiedTime(Files.write(place(target), content), EPOCH);
    } catch (IOException e) {
      throw new UncheckedIOException("write " + at(target), e);
    }
  }

  void link(String target, String destination) {
    try {
      Files.createSymbolicLink(place(target), Path.of(destination));
    } catch (IOException e) {
      throw new UncheckedIOException("make the link " + at(target), e);
    }
  }

  private Path place(String target) throws IOException {
    var place = at(target);
    Files.createDirectories(place.getParent());
    return place;
  }
}
