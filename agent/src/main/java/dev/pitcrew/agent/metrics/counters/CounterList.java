package dev.pitcrew.agent.metrics.counters;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What a counters file asks for, in the order in which it is shown, or what is wrong with it.
///
/// @param problems without any the counters are in force; with one, none of them is
/// @param hints what is right but has no effect
public record CounterList(
    List<Counter> counters, List<CounterProblem> problems, List<CounterProblem> hints) {
  private static final int COLUMNS = 3;
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final String TYPES =
      Arrays.stream(Counter.Type.values())
          .map(type -> type.name().toLowerCase(Locale.ROOT))
          .collect(Collectors.joining(", "));

  public CounterList {
    counters = List.copyOf(counters);
    problems = List.copyOf(problems);
    hints = List.copyOf(hints);
  }

  public boolean isRight() {
    return problems.isEmpty();
  }

  /// @param file how it is called in problems
  public static CounterList parse(FieldTable table, String file, String text) {
    return new Parser(table, file).parse(text);
  }

  private static final class Parser {
    private final FieldTable table;
    private final String file;
    private final List<Counter> counters = new ArrayList<>();
    private final List<CounterProblem> problems = new ArrayList<>();
    private final List<CounterProblem> hints = new ArrayList<>();
    private final HashSet<String> names = new HashSet<>();

    private Parser(FieldTable table, String file) {
      this.table = table;
      this.file = file;
    }

    private CounterList parse(String text) {
      var rows = CommaSeparated.parse(text);
      rows.rows().forEach(this::row);
      rows.broken().ifPresent(broken -> problem(broken.line(), broken.value(), broken.meaning()));
      if (counters.isEmpty() && problems.isEmpty()) {
        problem(0, "no counters", "name at least one field, such as DCGM_FI_DEV_GPU_TEMP");
      }
      counters.sort(
          Comparator.comparingInt((Counter counter) -> counter.field().id())
              .thenComparing(Counter::name)
              .thenComparing(Counter::type)
              .thenComparing(Counter::help));
      return new CounterList(counters, problems, hints);
    }

    private void row(CommaSeparated.Row row) {
      List<String> columns = row.columns().stream().map(String::strip).toList();
      if (columns.size() != COLUMNS) {
        problem(
            row.line(),
            String.join(",", row.columns()),
            "write exactly three columns: field, type, help; quote a help text with a comma in it");
        return;
      }
      Optional<Field> field = table.field(columns.get(0));
      Optional<Counter.Type> type = type(columns.get(1));
      if (field.isEmpty()) {
        problem(row.line(), columns.get(0), unknownField(columns.get(0)));
      }
      if (type.isEmpty()) {
        problem(row.line(), columns.get(1), "no type of a metric; write one of " + TYPES);
      }
      if (field.isPresent() && type.isPresent()) {
        add(row.line(), new Counter(columns.get(0), field.get(), type.get(), columns.get(2)));
      }
    }

    private void add(int line, Counter counter) {
      if (!NAME.matcher(counter.name()).matches()) {
        problem(line, counter.name(), "no name that Prometheus reads");
        return;
      }
      if (!names.add(counter.name())) {
        hints.add(hint(line, counter, "named twice; the first row is in force"));
        return;
      }
      counters.add(counter);
      unsuited(counter).ifPresent(why -> hints.add(hint(line, counter, why)));
    }

    private static Optional<String> unsuited(Counter counter) {
      boolean isText = counter.field().form() == Field.Form.TEXT;
      if (counter.field().origin().isEmpty()) {
        return Optional.of("NVML does not report it, so there is no series; remove the row");
      }
      if (isText && !counter.isLabel()) {
        return Optional.of("a text has no series; give it the type label");
      }
      return Optional.empty();
    }

    private CounterProblem hint(int line, Counter counter, String why) {
      return new CounterProblem(file, line, counter.name(), why);
    }

    private String unknownField(String name) {
      String meant = table.likely(name).map(" (is %s meant?)"::formatted).orElse("");
      return "no field of this name" + meant + "; correct it, or remove the row";
    }

    private static Optional<Counter.Type> type(String text) {
      return Arrays.stream(Counter.Type.values())
          .filter(type -> type.name().toLowerCase(Locale.ROOT).equals(text))
          .findFirst();
    }

    private void problem(int line, String value, String remedy) {
      problems.add(new CounterProblem(file, line, value, remedy));
    }
  }
}
