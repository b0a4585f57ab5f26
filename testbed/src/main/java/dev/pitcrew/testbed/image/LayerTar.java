package dev.pitcrew.testbed.image;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/// Writes the files of one layer, every folder before what it holds.
final class LayerTar {
  private static final int PLAIN = 0644;
  private static final int EXECUTABLE = 0755;

  /// Writable by all users, as on any system.
  private static final String SCRATCH = "/tmp";

  private static final int WORLD_WRITABLE = 01777;

  private final TarWriter tar;
  private final Set<String> folders = new HashSet<>();

  private LayerTar(TarWriter tar) {
    this.tar = tar;
  }

  static void write(Layer layer, OutputStream out) throws IOException {
    try (var tar = new TarWriter(out)) {
      var writer = new LayerTar(tar);
      for (var content : layer.contents().entrySet()) {
        writer.addParents(Path.of(content.getKey()));
        writer.add(content.getKey(), content.getValue());
      }
    }
  }

  private void addParents(Path target) throws IOException {
    for (var depth = 1; depth < target.getNameCount(); depth++) {
      addFolder("/" + target.subpath(0, depth));
    }
  }

  private void addFolder(String target) throws IOException {
    if (!target.equals("/") && folders.add(target)) {
      tar.folder(relative(target), target.equals(SCRATCH) ? WORLD_WRITABLE : EXECUTABLE);
    }
  }

  private void add(String target, Path source) throws IOException {
    if (Files.isSymbolicLink(source)) {
      tar.link(relative(target), Files.readSymbolicLink(source).toString());
    } else if (Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)) {
      addFolder(target);
    } else {
      tar.file(relative(target), Files.isExecutable(source) ? EXECUTABLE : PLAIN, source);
    }
  }

  private static String relative(String target) {
    return target.substring(1);
  }
}
