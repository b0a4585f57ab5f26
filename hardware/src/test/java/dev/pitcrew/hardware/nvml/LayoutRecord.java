package dev.pitcrew.hardware.nvml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `native/sim/layout.txt`: `struct NAME FIELD OFFSET SIZE` and `const NAME VALUE`.
final class LayoutRecord {
  private static final Path FILE = Path.of("../native/sim/layout.txt");

  private LayoutRecord() {}

  static Stream<String> lines() {
    try {
      return Files.readAllLines(FILE).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Map<String, Long> constants(String prefix) {
    return lines()
        .map(line -> line.split(" "))
        .filter(words -> words[0].equals("const") && words[1].startsWith(prefix))
        .collect(Collectors.toMap(words -> words[1], words -> Long.valueOf(words[2])));
  }
}
