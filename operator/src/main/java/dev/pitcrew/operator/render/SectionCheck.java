package dev.pitcrew.operator.render;

import dev.pitcrew.api.DriverManagerSpec;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.ImageSpec;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.Resources;
import dev.pitcrew.operator.render.Images.Source;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/// What the API server would refuse in the pods of a section, found before it is asked, so that the
/// message names the field of the policy and not one of a DaemonSet.
public final class SectionCheck {
  // https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container
  private static final Pattern VARIABLE = Pattern.compile("[\\x20-\\x7e&&[^=]]+");

  private SectionCheck() {}

  /// Checks the image, the environment and the resources of a section.
  public static Check of(Function<RenderContext, Source> section) {
    return context -> problem(section.apply(context), context.images());
  }

  /// The same for a section of any resource.
  public static Optional<Problem> problem(Source source, Images images) {
    return images.problem(source).or(() -> fields(source));
  }

  /// Checks everything but the image.
  public static Optional<Problem> fields(Source source) {
    return variableName(source.field(), env(source.section()))
        .or(() ->
            source.section() instanceof OperandSpec operand
                ? QuantityCheck.problem(source.field(), operand.resources())
                : Optional.empty());
  }

  /// Checks the resources and the environment of a container, which has no section of its own for
  /// its image.
  ///
  /// @param field path of the container's settings
  public static Optional<Problem> container(String field, List<EnvVar> env, Resources resources) {
    return variableName(field, env).or(() -> QuantityCheck.problem(field, resources));
  }

  private static Optional<Problem> variableName(String field, List<EnvVar> entries) {
    for (int index = 0; index < entries.size(); index++) {
      String name = entries.get(index).name();
      if (!VARIABLE.matcher(name).matches()) {
        return Optional.of(
            Problem.of(
                "SpecInvalid",
                field + ".env[" + index + "].name",
                name,
                "a variable's name is printable ASCII without \"=\"; correct it"));
      }
    }
    return Optional.empty();
  }

  private static List<EnvVar> env(ImageSpec section) {
    return switch (section) {
      case OperandSpec operand -> operand.env();
      case DriverManagerSpec manager -> manager.env();
      default -> List.of();
    };
  }
}
