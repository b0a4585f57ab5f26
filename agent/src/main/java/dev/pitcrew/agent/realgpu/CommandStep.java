package dev.pitcrew.agent.realgpu;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The agent's commands that read, each once, with what they answer.
record CommandStep(Programs programs, Consumer<String> progress) {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int MOST_LINES = 120;

  /// Planned, never applied.
  private static final String UNDIVIDED =
      """
      version: v1
      mig-configs:
        undivided:
          - devices: all
            mig-enabled: false
      """;

  /// @param namesDriver whether it takes the flags for the driver's place
  private record Wanted(List<String> words, boolean namesDriver) {}

  Section run() throws IOException, InterruptedException {
    var file = Files.writeString(programs.folder().resolve("mig.yaml"), UNDIVIDED);
    var lines = new ArrayList<String>();
    var facts = new LinkedHashMap<String, Object>();
    for (var command : commands(file.toString())) {
      var name = String.join(" ", command.words()).replace(file.toString(), "FILE");
      progress.accept(name);
      var all = command.namesDriver() ? programs.places() : List.<String>of();
      var ended =
          programs.pitcrew(LIMIT, Stream.concat(command.words().stream(), all.stream()).toList());
      lines.add(
          "$ pitcrew %s   (exit code %d, %d ms)"
              .formatted(name, ended.status(), ended.took().toMillis()));
      lines.addAll(cut(ended.output()));
      lines.addAll(cut(ended.errors()));
      lines.add("");
      facts.put(
          name,
          Map.of(
              "exitCode", ended.status(),
              "ms", ended.took().toMillis(),
              "output", cut(ended.output()),
              "errors", cut(ended.errors())));
    }
    return new Section("commands", "What the commands answer", "", lines, facts);
  }

  private static List<Wanted> commands(String migFile) {
    return List.of(
        new Wanted(List.of("inventory", "-o", "json"), true),
        new Wanted(List.of("labels", "--oneshot"), true),
        new Wanted(List.of("features"), false),
        new Wanted(List.of("cdi"), true),
        new Wanted(List.of("metrics", "--oneshot"), true),
        new Wanted(List.of("mig", "plan", "-f", migFile), true),
        new Wanted(List.of("validate"), false),
        new Wanted(List.of("cuda-check"), true));
  }

  private static List<String> cut(String output) {
    var lines = output.lines().toList();
    return lines.size() <= MOST_LINES
        ? lines
        : Stream.concat(
                lines.subList(0, MOST_LINES).stream(),
                Stream.of("(%d more lines)".formatted(lines.size() - MOST_LINES)))
            .toList();
  }
}
