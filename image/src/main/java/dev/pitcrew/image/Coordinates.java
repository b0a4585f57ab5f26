package dev.pitcrew.image;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Whose a jar is, in Maven's terms.
record Coordinates(String group, String artifact, String version) {
  private static final List<String> NO_WORDS = List.of();

  /// By the name of the jar, from lines `group:artifact:type[:classifier]:version:scope`, as
  /// Maven's dependency plugin lists them. Other lines say nothing.
  static Map<String, Coordinates> byJar(Collection<String> lines) {
    var all = new TreeMap<String, Coordinates>();
    for (var line : lines) {
      var words = words(line);
      if (words.size() >= 5) {
        var version = words.get(words.size() - 2);
        var classifier = words.size() == 6 ? "-" + words.get(3) : "";
        var artifact = words.get(1);
        all.put(
            artifact + "-" + version + classifier + ".jar",
            new Coordinates(words.getFirst(), artifact, version));
      }
    }
    return all;
  }

  /// Package URL (purl-spec, type "maven").
  String packageUrl() {
    return "pkg:maven/%s/%s@%s".formatted(group, artifact, version);
  }

  /// The plugin may append the name of the module: `... -- module com.fasterxml.jackson.core`.
  private static List<String> words(String line) {
    return Optional.of(line.strip().split(" ", 2)[0])
        .filter(text -> text.contains(":"))
        .map(text -> List.of(text.split(":", -1)))
        .orElse(NO_WORDS);
  }
}
