package dev.pitcrew.hardware.driver;

/// A character device below `/dev`.
///
/// @param path such as `/dev/nvidia0`
/// @param permissions the nine permission bits, such as 0666
/// @param group the id of the group that owns it
public record DeviceNode(String path, int major, int minor, int permissions, int group) {
  private static final int OTHERS_READ_AND_WRITE = 0006;

  public String folder() {
    return RootFolder.parent(path);
  }

  public String name() {
    return RootFolder.name(path);
  }

  /// Whether every user may read and write it, in any group.
  public boolean isOpenToAll() {
    return (permissions & OTHERS_READ_AND_WRITE) == OTHERS_READ_AND_WRITE;
  }
}
