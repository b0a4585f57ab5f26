package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Scenarios that are not played, one `NAME # REASON` a line.
///
/// @param reasons by the scenario's name
record SkipList(Map<String, String> reasons) {
  private static final String REASON_MARK = " # ";

  static SkipList read(Optional<Path> file, Set<String> scenarios) throws IOException {
    return file.isEmpty()
        ? new SkipList(Map.of())
        : parse(file.get(), Files.readAllLines(file.get()), scenarios);
  }

  /// @throws RefusedFile where a line gives no reason or names no scenario
  static SkipList parse(Path file, List<String> lines, Set<String> scenarios) {
    var reasons = new TreeMap<String, String>();
    for (var index = 0; index < lines.size(); index++) {
      var line = lines.get(index).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        var parts = line.split(REASON_MARK, 2);
        requireValid(file, index + 1, parts, scenarios);
        reasons.put(parts[0].strip(), parts[1].strip());
      }
    }
    return new SkipList(reasons);
  }

  private static void requireValid(Path file, int line, String[] parts, Set<String> scenarios) {
    if (parts.length < 2 || parts[1].isBlank()) {
      throw new RefusedFile(file, line, "give a reason: NAME # REASON");
    }
    if (!scenarios.contains(parts[0].strip())) {
      throw new RefusedFile(file, line, "there is no scenario '" + parts[0].strip() + "'");
    }
  }
}
