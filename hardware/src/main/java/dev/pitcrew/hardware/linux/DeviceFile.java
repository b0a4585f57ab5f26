package dev.pitcrew.hardware.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;

/// A character device as a file.
///
/// @param permissions the nine permission bits, such as 0666
/// @param group the id of the group that owns it
public record DeviceFile(int major, int minor, int permissions, int group) {
  private static final int TYPE_MASK = 0170000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final int PERMISSIONS_MASK = 0777;

  /// Empty where there is no character device at this path; links are not followed.
  public static Optional<DeviceFile> at(Path path) {
    try {
      Map<String, Object> unix =
          Files.readAttributes(path, "unix:mode,rdev,gid", LinkOption.NOFOLLOW_LINKS);
      int mode = number(unix, "mode").intValue();
      long device = number(unix, "rdev").longValue();
      return (mode & TYPE_MASK) == CHARACTER_DEVICE
          ? Optional.of(
              new DeviceFile(
                  major(device),
                  minor(device),
                  mode & PERMISSIONS_MASK,
                  number(unix, "gid").intValue()))
          : Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static Number number(Map<String, Object> attributes, String name) throws IOException {
    if (attributes.get(name) instanceof Number number) {
      return number;
    }
    throw new IOException("the file system has no attribute " + name);
  }

  /// Makes the device file, whole at once, in place of whatever file or link has the name. Only
  /// root can, and not in every container.
  ///
  /// @throws IOException with the kernel's reason
  public static void make(Path path, int major, int minor, int permissions) throws IOException {
    var draft = path.resolveSibling("." + path.getFileName() + ".pitcrew");
    Files.deleteIfExists(draft);
    int errno =
        SystemCalls.makeNode(
            draft.toString(), CHARACTER_DEVICE | permissions, device(major, minor));
    if (errno != 0) {
      throw new IOException("mknod of %s: errno %d".formatted(path, errno));
    }
    try {
      // mknod(2) takes the process's umask off.
      Files.setAttribute(draft, "unix:mode", permissions);
      Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  // As glibc's gnu_dev_makedev, gnu_dev_major and gnu_dev_minor.
  private static long device(int major, int minor) {
    return (minor & 0xffL)
        | ((major & 0xfffL) << 8)
        | ((minor & ~0xffL) << 12)
        | ((major & ~0xfffL) << 32);
  }

  static int major(long device) {
    return (int) ((device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL));
  }

  static int minor(long device) {
    return (int) ((device & 0xff) | (device >>> 12 & ~0xffL));
  }
}
