package dev.pitcrew.core.rollout;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Versions of drivers for people, as the images have them.
public final class DriverTag {
  private static final Pattern TAG = Pattern.compile(":(?<version>\\d+(\\.\\d+)*)");
  private static final Pattern DIGEST = Pattern.compile("@(sha256:[0-9a-f]{12})");

  private DriverTag() {}

  /// The number that the tag begins with, else the whole tag or the beginning of the digest.
  ///
  /// @param image as a container has it; may be empty
  public static String version(String image) {
    Matcher digest = DIGEST.matcher(image);
    if (digest.find()) {
      return digest.group(1);
    }
    String name = image.substring(image.lastIndexOf('/') + 1);
    Matcher tag = TAG.matcher(name);
    return tag.find() ? tag.group("version") : name.substring(name.indexOf(':') + 1);
  }
}
