package dev.pitcrew.agent.metrics.counters;

import dev.pitcrew.agent.metrics.counters.Field.Form;
import dev.pitcrew.agent.metrics.counters.Origin.Computation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// All fields, by each of their names.
public final class FieldTable {
  private static final String FIELDS = "/dev/pitcrew/agent/metrics/fields.txt";
  private static final String OLD_NAMES = "/dev/pitcrew/agent/metrics/old-names.txt";

  private final Map<String, Field> byName;

  private FieldTable(Map<String, Field> byName) {
    this.byName = byName;
  }

  /// The table of this program; it takes some milliseconds to read.
  public static FieldTable load() {
    var byName = new HashMap<String, Field>();
    var byId = new HashMap<Integer, Field>();
    lines(FIELDS)
        .forEach(line -> {
          Field field = parse(line);
          byId.put(field.id(), field);
          field.names().forEach(name -> byName.put(name, field));
        });
    lines(OLD_NAMES)
        .forEach(line -> {
          String[] words = line.split(" ", -1);
          byName.put(words[0], Objects.requireNonNull(byId.get(Integer.valueOf(words[1])), line));
        });
    int id = 9001;
    for (Computation computation : Computation.values()) {
      String name = "DCGM_EXP_" + computation.name();
      var origin = Optional.<Origin>of(new Origin.Computed(computation));
      byName.put(name, new Field(id, Form.WHOLE, origin, List.of(name)));
      id++;
    }
    return new FieldTable(Map.copyOf(byName));
  }

  public Optional<Field> field(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /// The known name that looks most like `wrong`; empty where none does.
  Optional<String> likely(String wrong) {
    String upper = wrong.toUpperCase(java.util.Locale.ROOT);
    return byName.keySet().stream()
        .filter(name -> Math.abs(name.length() - wrong.length()) <= 3)
        .filter(name -> EditDistance.of(name, upper) <= 3)
        .min(
            java.util.Comparator.<String>comparingInt(name -> EditDistance.of(name, upper))
                .thenComparing(name -> name));
  }

  private static Field parse(String line) {
    String[] words = line.split(" ", -1);
    return new Field(
        Integer.parseInt(words[0]),
        form(words[1]),
        OriginText.parse(words[3]),
        Arrays.asList(words).subList(4, words.length));
  }

  private static Form form(String letter) {
    return switch (letter) {
      case "I" -> Form.WHOLE;
      case "D" -> Form.DECIMAL;
      case "S" -> Form.TEXT;
      default -> Form.BYTES;
    };
  }

  private static List<String> lines(String resource) {
    try (var in = Objects.requireNonNull(FieldTable.class.getResourceAsStream(resource))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
  }
}
