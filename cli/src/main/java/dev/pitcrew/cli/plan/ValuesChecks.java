package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.core.requests.NearestNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values of a Helm release for the NVIDIA GPU Operator, and what the chart of Pitcrew makes of
/// them.
final class ValuesChecks {
  private static final List<String> IMAGE = List.of("repository", "image", "version");

  private ValuesChecks() {}

  /// @param file whose they are
  /// @param known keys that they may have, as charts/pitcrew/files/known-values.yaml has them
  static List<Line> of(String file, Map<?, ?> values, Map<?, ?> known) {
    var lines = new ArrayList<Line>();
    var unknown = new ArrayList<String>();
    unknown("", values, known, unknown);
    if (!unknown.isEmpty()) {
      lines.add(
          Line.warning(
                  "%s: %d values are known to no chart, and do nothing"
                      .formatted(file, unknown.size()),
                  "correct or remove them")
              .with(unknown));
    }
    if (IMAGE.stream().anyMatch(it -> isSet(section(values, "operator").get(it)))) {
      lines.add(
          Line.warning(
              file
                  + ": operator.repository, image and version name NVIDIA's operator, and are not used",
              "pitcrew.image.repository and pitcrew.image.version are for Pitcrew's image"));
    }
    if (values.containsKey("node-feature-discovery")) {
      lines.add(
          Line.warning(
              file + ": node-feature-discovery has no effect, as the chart does not contain it",
              "to keep node feature discovery, install it from its own chart with these values"));
    }
    if (!isSet(section(section(values, "pitcrew"), "image").get("repository"))) {
      lines.add(
          Line.warning(
              file + ": pitcrew.image.repository is not set",
              "set it to where the image of Pitcrew is, unless the chart was pushed by make push, which names it"));
    }
    if (lines.isEmpty()) {
      lines.add(Line.good(file + ": all values are known"));
    }
    return lines;
  }

  private static void unknown(String path, Map<?, ?> values, Map<?, ?> known, List<String> found) {
    values.forEach((name, value) -> {
      String at = path + name;
      if (value == null) {
        return; // takes a default away
      }
      if (!known.containsKey(name)) {
        List<String> nearest =
            NearestNames.of(
                String.valueOf(name), known.keySet().stream().map(String::valueOf).toList());
        found.add(
            nearest.isEmpty()
                ? at
                : "%s: did you mean %s%s?".formatted(at, path, String.join(" or ", nearest)));
      } else if (value instanceof Map<?, ?> inner && known.get(name) instanceof Map<?, ?> deeper) {
        unknown(at + ".", inner, deeper, found);
      }
    });
  }

  private static Map<?, ?> section(Map<?, ?> fields, String name) {
    return fields.get(name) instanceof Map<?, ?> section ? section : Map.of();
  }

  private static boolean isSet(@Nullable Object value) {
    return value != null && !value.toString().isEmpty();
  }
}
