package dev.pitcrew.operator.render;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// ConfigMaps and Secrets that a policy names and that must be there before pods can mount them.
public final class References {
  private References() {}

  /// Checks that a ConfigMap exists if the policy names one.
  ///
  /// @param field path of the field that names it
  public static Check configMap(String field, Function<RenderContext, @Nullable String> name) {
    return context ->
        missing(
            "ConfigMap",
            field,
            name.apply(context),
            context,
            context.facts().configMaps().keySet()::contains);
  }

  /// Checks that a Secret exists if the policy names one.
  public static Check secret(String field, Function<RenderContext, @Nullable String> name) {
    return context ->
        missing(
            "Secret", field, name.apply(context), context, context.facts().secrets()::contains);
  }

  static Problem missing(String kind, String field, String name, RenderContext context) {
    return Problem.of(
        kind + "Missing",
        field,
        name,
        "namespace "
            + context.namespace()
            + " has no "
            + kind
            + " of that name; create it or clear the field");
  }

  private static Optional<Problem> missing(
      String kind,
      String field,
      @Nullable String name,
      RenderContext context,
      java.util.function.Predicate<String> exists) {
    return name == null || name.isEmpty() || exists.test(name)
        ? Optional.empty()
        : Optional.of(missing(kind, field, name, context));
  }
}
