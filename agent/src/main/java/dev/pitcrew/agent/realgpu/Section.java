package dev.pitcrew.agent.realgpu;

import java.util.List;

/// A part of the report.
///
/// @param failure why it is not complete; empty where it is
/// @param lines for people
/// @param facts the same for programs: maps, lists, texts, numbers and truths
record Section(String name, String title, String failure, List<String> lines, Object facts) {
  static Section failed(String name, String title, String failure) {
    return new Section(name, title, failure, List.of(), List.of());
  }

  boolean isComplete() {
    return failure.isEmpty();
  }
}
