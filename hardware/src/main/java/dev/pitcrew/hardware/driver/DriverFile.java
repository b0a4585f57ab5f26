package dev.pitcrew.hardware.driver;

/// A file that containers are given.
///
/// @param path under which they expect it
/// @param source where it lies, as a path below the driver root that has no link out of it
public record DriverFile(String path, String source) {

  /// The folder in which containers expect it.
  public String folder() {
    return RootFolder.parent(path);
  }
}
