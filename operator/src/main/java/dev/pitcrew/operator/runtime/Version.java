package dev.pitcrew.operator.runtime;

import java.util.Optional;

/// The version of this build, from the jar's manifest.
final class Version {
  private Version() {}

  static String text() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
        .orElse("development");
  }
}
