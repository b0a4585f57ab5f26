package dev.pitcrew.hardware.nvml;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// What came of a call: a value, or why there is none.
public sealed interface Answer<T> {

  record Value<T>(T value) implements Answer<T> {}

  /// The GPU or the driver cannot do it: the library says so, or has no such function.
  record NotSupported<T>(String call) implements Answer<T> {}

  /// @param call the NVML function, such as `nvmlDeviceGetUUID`
  record Failed<T>(NvmlError error, String call) implements Answer<T> {}

  static <T> Answer<T> of(T value) {
    return new Value<>(value);
  }

  static <T> Answer<T> failed(NvmlError error, String call) {
    return new Failed<>(error, call);
  }

  /// Both values as one, or the first of the two that is none.
  static <A, B, R> Answer<R> join(Answer<A> one, Answer<B> other, BiFunction<A, B, R> function) {
    return one.flatMap(a -> other.map(b -> function.apply(a, b)));
  }

  /// All values, or the first that is none.
  static <T> Answer<List<T>> all(List<Answer<T>> answers) {
    var values = new ArrayList<T>(answers.size());
    for (var answer : answers) {
      switch (answer) {
        case Value<T>(var value) -> values.add(value);
        case NotSupported<T>(var call) -> {
          return new NotSupported<>(call);
        }
        case Failed<T>(var error, var call) -> {
          return new Failed<>(error, call);
        }
      }
    }
    return new Value<>(List.copyOf(values));
  }

  default <R> Answer<R> map(Function<? super T, ? extends R> function) {
    return flatMap(value -> new Value<>(function.apply(value)));
  }

  default <R> Answer<R> flatMap(Function<? super T, Answer<R>> function) {
    return switch (this) {
      case Value<T>(var value) -> function.apply(value);
      case NotSupported<T>(var call) -> new NotSupported<>(call);
      case Failed<T>(var error, var call) -> new Failed<>(error, call);
    };
  }

  /// `value` in place of an absent capability; failures stay.
  default Answer<T> ifNotSupported(T value) {
    return this instanceof NotSupported ? new Value<>(value) : this;
  }

  /// The value, or `fallback` for whatever reason there is none.
  default T orElse(T fallback) {
    return this instanceof Value<T>(var value) ? value : fallback;
  }

  default Optional<T> toOptional() {
    return this instanceof Value<T>(var value) ? Optional.of(value) : Optional.empty();
  }

  default boolean isFailedWith(NvmlError error) {
    return this instanceof Failed<T>(var actual, _) && actual == error;
  }

  /// Why there is no value, such as `nvmlDeviceGetUUID: the GPU is lost`; empty where there is one.
  default String reason() {
    return switch (this) {
      case Value<T> _ -> "";
      case NotSupported<T>(var call) -> call + ": " + NvmlError.NOT_SUPPORTED.meaning();
      case Failed<T>(var error, var call) -> call + ": " + error.meaning();
    };
  }
}
