package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The operating system of a node and what users have set up on it: only its files, and what the
/// Node says of its cloud. Texts of os-release are recorded; mounts and configuration are as the
/// makers' documentation and sources have them.
///
/// @param files by their paths on the host
/// @param provider `spec.providerID` of its Node, an empty text where it has none
/// @param labels of its Node, those that its cloud sets
public record SimulatedHost(
    Map<String, String> files, String provider, Map<String, String> labels) {
  /// What a node has that nothing is said of.
  static final String USUAL = "ubuntu";

  private static final Pattern SECTION = Pattern.compile("(?m)^=== (\\S+)\\n");
  private static final String NODE = "node";
  private static final String PROVIDER = "providerID ";

  public SimulatedHost {
    files = Map.copyOf(files);
    labels = Map.copyOf(labels);
  }

  /// @param name of a file `hosts/<name>.host` of this package: lines of comment, then sections;
  ///   one is named `node`, the others as the files that they are, in which `\0` is a zero byte
  public static SimulatedHost named(String name) {
    var sections = sections(text("hosts/" + name + ".host"));
    var node = sections.getOrDefault(NODE, "").lines().toList();
    sections.remove(NODE);
    return new SimulatedHost(
        sections,
        node.stream()
            .filter(line -> line.startsWith(PROVIDER))
            .map(line -> line.substring(PROVIDER.length()))
            .findFirst()
            .orElse(""),
        labels(node.stream().filter(line -> !line.startsWith(PROVIDER))));
  }

  private static Map<String, String> sections(String text) {
    var sections = new LinkedHashMap<String, String>();
    var heads = SECTION.matcher(text).results().toList();
    for (int i = 0; i < heads.size(); i++) {
      int end = i + 1 < heads.size() ? heads.get(i + 1).start() : text.length();
      var content = text.substring(heads.get(i).end(), end);
      sections.put(heads.get(i).group(1), content.replace("\\0", "\0"));
    }
    return sections;
  }

  private static Map<String, String> labels(Stream<String> lines) {
    var labels = new TreeMap<String, String>();
    lines.forEach(line -> {
      int equals = line.indexOf('=');
      labels.put(line.substring(0, equals), line.substring(equals + 1));
    });
    return labels;
  }

  private static String text(String name) {
    try (var stream = SimulatedHost.class.getResourceAsStream(name)) {
      return new String(
          Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + name, e);
    }
  }
}
