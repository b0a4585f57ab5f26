package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.agent.metrics.counters.CounterProblem;
import dev.pitcrew.agent.metrics.counters.FieldTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The counters that are served: those that were read last and were right.
///
/// @param list what is in force
/// @param problems why it is not what is written now
public record CountersInForce(CounterList list, List<CounterProblem> problems) {
  private static final String DEFAULTS = "/dev/pitcrew/agent/metrics/default-counters.csv";
  private static final long MOST_BYTES = 1 << 20;

  public CountersInForce {
    problems = List.copyOf(problems);
  }

  /// Those of this program.
  public static CountersInForce defaults(FieldTable table) {
    return new CountersInForce(
        CounterList.parse(table, "default-counters.csv", defaultText()), List.of());
  }

  /// Those of a text.
  ///
  /// @param place where it was read, for problems
  public CountersInForce read(FieldTable table, String place, String text) {
    CounterList read = CounterList.parse(table, place, text);
    return read.isRight()
        ? new CountersInForce(read, List.of())
        : new CountersInForce(list, read.problems());
  }

  /// The same, where another list was written that is not right.
  public CountersInForce but(List<CounterProblem> why) {
    return new CountersInForce(list, why);
  }

  /// Those of a file.
  public CountersInForce read(FieldTable table, Path file) {
    try {
      if (Files.size(file) > MOST_BYTES) {
        return failed(file, "larger than 1 MiB", "give the path of a counters file");
      }
      return read(table, file.toString(), Files.readString(file));
    } catch (NoSuchFileException _) {
      return failed(file, "there is no such file", "give the path of a counters file");
    } catch (IOException e) {
      return failed(file, e.toString(), "make the file readable, as text in UTF-8");
    }
  }

  private CountersInForce failed(Path file, String what, String remedy) {
    return new CountersInForce(list, List.of(new CounterProblem(file.toString(), 0, what, remedy)));
  }

  /// What is wrong, for people; empty where nothing is.
  public Optional<String> problem() {
    return problems.isEmpty()
        ? Optional.empty()
        : Optional.of(
            String.join("; ", problems.stream().map(CounterProblem::text).toList())
                + "; the counters before stay in force");
  }

  private static String defaultText() {
    try (var in = Objects.requireNonNull(CountersInForce.class.getResourceAsStream(DEFAULTS))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(DEFAULTS, e);
    }
  }
}
