package dev.pitcrew.agent.mig.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Configuration files as NVIDIA's mig-parted writes them.
public final class MigConfigText {
  private static final Pattern NUMBERS = Pattern.compile("(?<=\\D)(?=\\d)|(?<=\\d)(?=\\D)");

  /// How mig-parted writes a `device-filter` of one board: `export` as a text, `generate-config` as
  /// a list.
  public enum SingleFilter {
    TEXT,
    LIST
  }

  private MigConfigText() {}

  public static String yaml(MigConfig config, SingleFilter single) {
    var lines = new ArrayList<String>(List.of("version: v1", "mig-configs:"));
    config
        .layouts()
        .forEach((label, entries) -> {
          lines.add("  " + label + ":");
          entries.forEach(entry -> addYaml(entry, single, lines));
        });
    return String.join("\n", lines) + "\n";
  }

  private static void addYaml(MigEntry entry, SingleFilter single, List<String> lines) {
    String first = "  - ";
    if (!entry.filters().isEmpty()) {
      lines.add(first + "device-filter: " + filters(entry, single));
      first = "    ";
    }
    lines.add(first + "devices: " + entry.devices().map(List::toString).orElse("all"));
    lines.add("    mig-enabled: " + entry.isEnabled());
    if (entry.counts().isEmpty()) {
      lines.add("    mig-devices: {}");
      return;
    }
    lines.add("    mig-devices:");
    counts(entry).forEach(one -> lines.add("      %s: %d".formatted(one.name(), one.count())));
  }

  public static String json(MigConfig config, SingleFilter single) {
    var layouts = new ArrayList<String>();
    config
        .layouts()
        .forEach((label, entries) ->
            layouts.add(
                entries.stream()
                    .map(entry -> json(entry, single))
                    .collect(
                        Collectors.joining(",\n", "    \"%s\": [\n".formatted(label), "\n    ]"))));
    return "{\n  \"version\": \"v1\",\n  \"mig-configs\": {\n%s\n  }\n}\n"
        .formatted(String.join(",\n", layouts));
  }

  private static String json(MigEntry entry, SingleFilter single) {
    var fields = new ArrayList<String>();
    if (!entry.filters().isEmpty()) {
      fields.add("\"device-filter\": " + filters(entry, single));
    }
    fields.add("\"devices\": " + entry.devices().map(List::toString).orElse("\"all\""));
    fields.add("\"mig-enabled\": " + entry.isEnabled());
    String counts =
        counts(entry).stream()
            .map(one -> "          \"%s\": %d".formatted(one.name(), one.count()))
            .collect(Collectors.joining(",\n"));
    fields.add(
        counts.isEmpty() ? "\"mig-devices\": {}" : "\"mig-devices\": {\n" + counts + "\n        }");
    return fields.stream()
        .map(field -> "        " + field)
        .collect(Collectors.joining(",\n", "      {\n", "\n      }"));
  }

  private static String filters(MigEntry entry, SingleFilter single) {
    return single == SingleFilter.TEXT && entry.filters().size() == 1
        ? quoted(entry.filters().getFirst())
        : entry.filters().stream()
            .map(MigConfigText::quoted)
            .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  private record Count(String name, int count) {}

  private static List<Count> counts(MigEntry entry) {
    return entry.counts().entrySet().stream()
        .map(one -> new Count(one.getKey().name(), one.getValue()))
        .sorted(Comparator.comparing(Count::name, MigConfigText::naturally))
        .toList();
  }

  /// Names in the order of the numbers in them.
  static int naturally(String one, String other) {
    String[] left = NUMBERS.split(one, -1);
    String[] right = NUMBERS.split(other, -1);
    for (int i = 0; i < Math.min(left.length, right.length); i++) {
      int order = part(left[i], right[i]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(left.length, right.length);
  }

  private static int part(String one, String other) {
    boolean areNumbers =
        !one.isEmpty()
            && !other.isEmpty()
            && Character.isDigit(one.charAt(0))
            && Character.isDigit(other.charAt(0));
    return areNumbers && one.length() != other.length()
        ? Integer.compare(one.length(), other.length())
        : one.compareTo(other);
  }
}
