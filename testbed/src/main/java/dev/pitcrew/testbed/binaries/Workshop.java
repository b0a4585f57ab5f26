package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/// A folder in which programs are made; it goes when the work is over, well or badly.
record Workshop(Path folder) implements AutoCloseable {
  static Workshop in(BinaryCache cache, ToolModule module) throws IOException {
    return new Workshop(cache.workshop(module));
  }

  @Override
  public void close() throws IOException {
    try (var tree = Files.walk(folder)) {
      for (var path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
