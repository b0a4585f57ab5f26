package dev.pitcrew.agent.realgpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/// Folders that are only there while something runs.
final class Folders {
  private Folders() {}

  static void delete(Path folder) throws IOException {
    try (var tree = Files.walk(folder)) {
      for (var path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
