package dev.pitcrew.cli.cluster;

import java.util.regex.Pattern;

/// Names of objects, which become parts of paths and of commands.
public final class ObjectNames {
  /// As the API server wants them (RFC 1123). It does not look at names within a status.
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private ObjectNames() {}

  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }
}
