package dev.pitcrew.agent.config;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// All flags, as the resource `flags.txt` lists them: parsing, `--help` and the documentation read
/// this one table.
public final class FlagTable {
  private static final String RESOURCE = "flags.txt";
  private static final int COLUMNS = 6;
  private static final Map<String, Flag> FLAGS = load();

  private FlagTable() {}

  /// In the order of the table.
  public static List<Flag> all() {
    return List.copyOf(FLAGS.values());
  }

  /// The flags that a program takes, in the order of the table.
  public static List<Flag> of(Program program) {
    return all().stream().filter(flag -> flag.isFor(program)).toList();
  }

  static Flag named(String name) {
    return Objects.requireNonNull(FLAGS.get(name), name);
  }

  private static Map<String, Flag> load() {
    var stream = Objects.requireNonNull(FlagTable.class.getResourceAsStream(RESOURCE), RESOURCE);
    try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      var flags = new LinkedHashMap<String, Flag>();
      lines
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(FlagTable::parse)
          .forEach(flag -> flags.put(flag.name(), flag));
      return flags;
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot read " + RESOURCE, failure);
    }
  }

  private static Flag parse(String line) {
    String[] columns = line.split("\\|", COLUMNS);
    List<String> names = words(columns[0]);
    return new Flag(
        names.getFirst(),
        names.subList(1, names.size()),
        words(columns[1]),
        columns[2].strip(),
        columns[3].strip(),
        Arrays.stream(Program.values())
            .filter(program -> words(columns[4]).contains(program.value()))
            .collect(Collectors.toUnmodifiableSet()),
        columns[5].strip());
  }

  private static List<String> words(String column) {
    return Stream.of(column.strip().split(" +")).filter(word -> !word.isEmpty()).toList();
  }
}
