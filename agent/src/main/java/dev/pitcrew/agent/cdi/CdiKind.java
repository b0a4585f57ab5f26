package dev.pitcrew.agent.cdi;

import java.util.regex.Pattern;

/// The kind of device that a specification describes, such as `nvidia.com/gpu`.
///
/// @param vendor letters, digits, `_`, `-` and `.`, from a letter to a letter or digit
/// @param deviceClass of the same characters
public record CdiKind(String vendor, String deviceClass) {
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?");

  /// @throws IllegalArgumentException if the Container Device Interface does not allow the names
  public CdiKind {
    check("vendor", vendor);
    check("class", deviceClass);
  }

  /// The name of the file that holds the specification, less its extension.
  public String fileStem() {
    return vendor + "-" + deviceClass;
  }

  @Override
  public String toString() {
    return vendor + "/" + deviceClass;
  }

  private static void check(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "CDI " + what + " '" + name + "': only letters, digits, _ - . and a letter first");
    }
  }
}
