package dev.pitcrew.agent.realgpu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// All sections as one text: first for people, then, after [#MARK], as JSON.
///
/// @param hostname is not shown
record Report(List<Section> sections, String hostname) {
  /// The line between the two.
  static final String MARK = "=== JSON ===";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  // The ends distinguish GPUs of one machine and name no board.
  private static final Pattern UUID =
      Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{8}([0-9a-f]{4})");

  String text() {
    var people = sections.stream().map(Report::chapter).collect(Collectors.joining("\n", "", "\n"));
    return withoutNames(people + MARK + "\n" + json() + "\n");
  }

  private static String chapter(Section section) {
    var title = section.isComplete() ? section.title() : section.title() + ": NOT COMPLETE";
    var lines = section.lines().stream().map(line -> line + "\n").collect(Collectors.joining());
    var failure = section.isComplete() ? "" : section.failure() + "\n";
    return "%s\n%s\n%s%s".formatted(title, "-".repeat(title.length()), failure, lines);
  }

  private String json() {
    var all = new LinkedHashMap<String, Object>();
    for (var section : sections) {
      var one = new LinkedHashMap<String, Object>();
      one.put("complete", section.isComplete());
      one.put("failure", section.failure());
      one.put("facts", section.facts());
      all.put(section.name(), one);
    }
    try {
      return JSON.writeValueAsString(all);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("cannot write JSON", impossible);
    }
  }

  /// Without what identifies the machine or its boards.
  private String withoutNames(String text) {
    var anonymous = UUID.matcher(text).replaceAll("00000000-0000-0000-0000-00000000$1");
    // Whole words only: a host may be called 'vm', which is in the name of each NVML function.
    return hostname.isEmpty()
        ? anonymous
        : anonymous.replaceAll("\\b" + Pattern.quote(hostname) + "\\b", "HOST");
  }
}
