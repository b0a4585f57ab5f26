package dev.pitcrew.operator.render;

import dev.pitcrew.api.ImageSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Image paths of operands: from the custom resource, else from the operator's environment.
///
/// @param environment the operator's environment variables
public record Images(Map<String, String> environment) {
  private static final String HOST = "[A-Za-z0-9][\\w.\\-]*(:\\d+)?";
  private static final String PART = "[a-z0-9][a-z0-9_.\\-]*";
  private static final Pattern PATH =
      Pattern.compile(
          "(%s/)?%s(/%s)*(:[\\w.\\-]+)?(@[a-z0-9]+:[0-9a-fA-F]+)?".formatted(HOST, PART, PART));

  /// Where an image comes from.
  ///
  /// @param field of the custom resource that holds repository, image and version, for messages
  /// @param fallback environment variable of the operator, or empty
  public record Source(String field, ImageSpec section, String fallback) {}

  /// The path, or why there is none.
  public sealed interface Resolution {
    record Found(String path) implements Resolution {}

    record Missing(Problem problem) implements Resolution {}
  }

  public Resolution resolve(Source source) {
    if (isDefault(source)) {
      return fromEnvironment(source);
    }
    String repository = orEmpty(source.section().repository());
    String image = orEmpty(source.section().image());
    String version = orEmpty(source.section().version());
    if (repository.isEmpty() && version.isEmpty()) {
      return new Resolution.Found(image);
    }
    if (repository.isEmpty() || image.isEmpty() || version.isEmpty()) {
      return new Resolution.Missing(
          Problem.of(
              "ImageInvalid",
              source.field(),
              repository + "/" + image + ":" + version,
              "set repository, image and version together, or only image with the full path"));
    }
    return new Resolution.Found(repository + "/" + image + separator(version) + version);
  }

  /// The path of an image that [#problem] has found nothing against.
  public String path(Source source) {
    return switch (resolve(source)) {
      case Resolution.Found found -> found.path();
      case Resolution.Missing missing ->
          throw new IllegalStateException("rendered unchecked: " + missing.problem().message());
    };
  }

  /// Whether the environment decides.
  public boolean isDefault(Source source) {
    ImageSpec section = source.section();
    return Stream.of(section.repository(), section.image(), section.version())
        .allMatch(part -> orEmpty(part).isEmpty());
  }

  /// The same with another value of one variable.
  public Images with(String variable, String path) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(variable, path);
    return new Images(changed);
  }

  public Optional<Problem> problem(Source source) {
    return switch (resolve(source)) {
      case Resolution.Found found -> misspelt(source, found.path());
      case Resolution.Missing missing -> Optional.of(missing.problem());
    };
  }

  /// Driver images are tagged per operating system, unless they are pinned by digest.
  public static String withOsTag(String path, String osTag) {
    return path.contains("sha256:") ? path : path + "-" + osTag;
  }

  static String separator(String version) {
    return version.startsWith("sha256:") ? "@" : ":";
  }

  /// What no container runtime pulls. The schema looks for a good part in a path only, not at all
  /// of it.
  public static Optional<Problem> misspelt(Source source, String path) {
    return misspelt(source.field(), path);
  }

  /// The same for a field that holds the whole path.
  public static Optional<Problem> misspelt(String field, String path) {
    return PATH.matcher(path).matches()
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                "ImageInvalid",
                field,
                path,
                "that is no image; give a path such as nvcr.io/nvidia/driver:580.95.05"));
  }

  private Resolution fromEnvironment(Source source) {
    String path = environment.getOrDefault(source.fallback(), "");
    if (!path.isEmpty()) {
      return new Resolution.Found(path);
    }
    String remedy =
        source.fallback().isEmpty()
            ? "set repository, image and version"
            : "set repository, image and version there, or "
                + source.fallback()
                + " in the operator's environment";
    return new Resolution.Missing(
        Problem.of("ImageInvalid", source.field() + ".image", "", remedy));
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }
}
