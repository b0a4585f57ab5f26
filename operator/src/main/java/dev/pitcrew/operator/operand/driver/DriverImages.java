package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Problem;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Paths of driver images: one tag per operating system, and with ready-made modules one per kernel
/// too.
final class DriverImages {
  private DriverImages() {}

  static Check check(DriverSettings settings) {
    return context ->
        settings.precompiled()
            ? precompiledProblem(settings)
            : context.images().problem(settings.image());
  }

  static String precompiled(DriverSettings settings, String kernel, OsRelease os) {
    return path(settings.section()) + "-" + kernel + "-" + os.imageTag();
  }

  /// There is no fallback to the environment: one variable cannot name an image per kernel.
  private static Optional<Problem> precompiledProblem(DriverSettings settings) {
    OperandSpec section = settings.section();
    boolean named = !orEmpty(section.image()).isEmpty();
    boolean inParts =
        !orEmpty(section.repository()).isEmpty() && !orEmpty(section.version()).isEmpty();
    boolean whole = orEmpty(section.repository()).isEmpty() && orEmpty(section.version()).isEmpty();
    if (!named || !(inParts || whole)) {
      return Optional.of(
          Problem.of(
              "ImageInvalid",
              settings.field() + ".image",
              orEmpty(section.image()),
              "precompiled drivers need repository, image and version, or only image with the full path"));
    }
    if (path(section).contains("@") || path(section).contains("sha256:")) {
      return Optional.of(
          Problem.of(
              "ImageInvalid",
              settings.field() + ".version",
              orEmpty(section.version()),
              "precompiled drivers have one image per kernel, which a digest cannot name; give a tag"));
    }
    return Images.misspelt(settings.image(), path(section));
  }

  private static String path(OperandSpec section) {
    String image = orEmpty(section.image());
    String version = orEmpty(section.version());
    return version.isEmpty() ? image : orEmpty(section.repository()) + "/" + image + ":" + version;
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }
}
