package dev.pitcrew.hardware.driver;

/// A symbolic link that containers are given.
public record Link(String target, String path) {

  /// The last name of the path to which it leads.
  public String targetName() {
    return RootFolder.name(target);
  }
}
