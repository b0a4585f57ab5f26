package dev.pitcrew.agent.cdi;

import java.util.regex.Pattern;

/// A device that containers ask for by name.
///
/// @param name letters, digits, `_`, `-`, `.` and `:`, from and to a letter or digit
public record CdiDevice(String name, ContainerEdits edits) {
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9_.:-]{0,251}[A-Za-z0-9])?");

  /// For a container that gets the driver's files and no GPU.
  public static final CdiDevice NONE =
      new CdiDevice("none", ContainerEdits.ofEnv("NVCT_EMPTY_DEVICE="));

  /// @throws IllegalArgumentException if the Container Device Interface does not allow the name
  public CdiDevice {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "CDI device '" + name + "': only letters, digits, _ - . :");
    }
  }
}
