package dev.pitcrew.agent.command;

import java.util.SortedMap;
import java.util.stream.Collectors;

/// Labels as a feature file of NFD has them, or as one JSON object.
final class LabelText {
  private LabelText() {}

  static String of(SortedMap<String, String> labels, OutputFormat format) {
    return format.isJson() ? Json.of(labels) : lines(labels);
  }

  private static String lines(SortedMap<String, String> labels) {
    return labels.entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue() + "\n")
        .collect(Collectors.joining());
  }
}
