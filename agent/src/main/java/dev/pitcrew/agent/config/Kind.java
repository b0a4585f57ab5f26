package dev.pitcrew.agent.config;

import dev.pitcrew.core.text.GoText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The type of a setting.
///
/// @param valid what may be written, as the remedy of an error says it
/// @param parse from the elements; empty where one is not valid
record Kind<T>(Shape shape, String valid, Function<List<String>, Optional<T>> parse) {
  static final Kind<String> TEXT = one(Shape.TEXT, "any text", Optional::of);
  static final Kind<Boolean> BOOL = one(Shape.BOOL, "true or false", GoText::bool);
  static final Kind<Integer> NUMBER = one(Shape.NUMBER, "a whole number", GoText::integer);
  static final Kind<Double> DECIMAL = one(Shape.NUMBER, "a number", GoText::decimal);
  static final Kind<SleepInterval> INTERVAL =
      one(
          Shape.DURATION,
          "a number with its unit, such as 30s or 1m30s, or infinite",
          SleepInterval::parse);
  static final Kind<List<Integer>> IMEX_CHANNELS =
      new Kind<>(
          Shape.NUMBER_LIST,
          "nothing, or 0",
          texts -> all(texts, GoText::integer).filter(Kind::isImex));

  /// Elements without meaning are dropped: an empty variable is no element.
  static final Kind<List<String>> TEXTS =
      new Kind<>(
          Shape.TEXT_LIST,
          "texts with commas between them",
          texts -> Optional.of(texts.stream().filter(text -> !text.isEmpty()).toList()));

  static <T> Kind<T> oneOf(List<T> values, Function<T, String> name) {
    return one(Shape.TEXT, valid(values, name), text -> named(values, name, text));
  }

  static <T> Kind<List<T>> listOf(List<T> values, Function<T, String> name) {
    return new Kind<>(
        Shape.TEXT_LIST,
        valid(values, name),
        texts -> all(texts, text -> named(values, name, text)));
  }

  /// The same with more in the remedy than what may be written.
  Kind<T> noting(String note) {
    return new Kind<>(shape, valid + "; " + note, parse);
  }

  private static <T> Kind<T> one(Shape shape, String valid, Function<String, Optional<T>> parse) {
    return new Kind<>(shape, valid, texts -> parse.apply(texts.getLast()));
  }

  private static <T> Optional<List<T>> all(
      List<String> texts, Function<String, Optional<T>> parse) {
    var values = new ArrayList<T>();
    texts.forEach(text -> parse.apply(text).ifPresent(values::add));
    return values.size() == texts.size() ? Optional.of(List.copyOf(values)) : Optional.empty();
  }

  private static <T> String valid(List<T> values, Function<T, String> name) {
    return values.stream().map(name).collect(Collectors.joining(", ", "one of ", ""));
  }

  private static <T> Optional<T> named(List<T> values, Function<T, String> name, String text) {
    return values.stream().filter(value -> name.apply(value).equals(text)).findFirst();
  }

  private static boolean isImex(List<Integer> channels) {
    return channels.isEmpty() || channels.equals(List.of(0));
  }
}
