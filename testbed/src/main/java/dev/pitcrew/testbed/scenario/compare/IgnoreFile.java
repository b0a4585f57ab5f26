package dev.pitcrew.testbed.scenario.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The facts that are left out of comparisons, one pattern a line:
///
/// ```
/// # a comment
/// DaemonSet/gpu-feature-discovery | pod | args* # ours needs no arguments
/// [mig-single,mig-none] ConfigMap/mig-parted | keys | * # only where MIG is on
/// ```
///
/// A reason is mandatory, and the first segment (kind and name) takes no wildcard, so that a line
/// hides facts of one known object only.
///
/// @param lines in the order of the file
public record IgnoreFile(List<IgnoreLine> lines) {
  private static final Pattern LINE =
      Pattern.compile("(?:\\[(?<scenarios>[^]]*)]\\s+)?(?<pattern>.*?)\\s+# +(?<reason>\\S.*)");

  public IgnoreFile {
    lines = List.copyOf(lines);
  }

  /// Nothing is left out.
  public static IgnoreFile none() {
    return new IgnoreFile(List.of());
  }

  /// Reads a file of such lines.
  ///
  /// @throws RefusedFile where a line breaks the rules
  public static IgnoreFile read(Path file) throws IOException {
    return parse(file, Files.readAllLines(file));
  }

  static IgnoreFile parse(Path file, List<String> texts) {
    var lines = new ArrayList<IgnoreLine>();
    for (var index = 0; index < texts.size(); index++) {
      var text = texts.get(index).strip();
      if (!text.isEmpty() && !text.startsWith("#")) {
        lines.add(line(file, index + 1, text));
      }
    }
    return new IgnoreFile(lines);
  }

  private static IgnoreLine line(Path file, int number, String text) {
    var parts = LINE.matcher(text);
    if (!parts.matches()) {
      throw new RefusedFile(file, number, "give a reason: PATTERN # REASON");
    }
    var pattern = parts.group("pattern");
    var object = pattern.split(Pattern.quote(FactLeaves.SEPARATOR), 2)[0];
    if (object.isEmpty() || object.contains("*") || object.contains("?")) {
      throw new RefusedFile(
          file, number, "name one object: no wildcard in Kind/name, but found '" + object + "'");
    }
    var scenarios = scenarios(file, number, parts.group("scenarios"));
    return new IgnoreLine(number, scenarios, FactPattern.of(pattern), parts.group("reason"));
  }

  private static Set<String> scenarios(Path file, int number, @Nullable String list) {
    if (list == null) {
      return Set.of();
    }
    var names = Stream.of(list.split(",", -1)).map(String::strip).toList();
    if (names.contains("")) {
      throw new RefusedFile(file, number, "name the scenarios: [NAME,NAME] PATTERN # REASON");
    }
    return Set.copyOf(names);
  }
}
