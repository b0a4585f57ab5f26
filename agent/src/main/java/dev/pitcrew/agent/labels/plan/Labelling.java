package dev.pitcrew.agent.labels.plan;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the labels of a node should be.
public sealed interface Labelling {

  /// @param warnings what a person should know about them, one line each
  record Labels(SortedMap<String, String> labels, List<String> warnings) implements Labelling {
    public Labels {
      labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
      warnings = List.copyOf(warnings);
    }
  }

  /// Configuration and hardware contradict each other, so that no labels would be true.
  record Refused(String reason) implements Labelling {}
}
