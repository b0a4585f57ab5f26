package dev.pitcrew.agent.cdi;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// A driver root in a folder of its own.
public record FakeDriver(Path folder) {

  public FakeDriver file(String path) throws IOException {
    return file(path, "of the driver".getBytes(StandardCharsets.UTF_8));
  }

  public FakeDriver file(String path, byte[] content) throws IOException {
    Path file = folder.resolve(path.substring(1));
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    if (path.contains("/bin/")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return this;
  }

  public FakeDriver files(List<String> paths) throws IOException {
    for (String path : paths) {
      file(path);
    }
    return this;
  }

  public FakeDriver link(String path, String target) throws IOException {
    Path link = folder.resolve(path.substring(1));
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of(target));
    return this;
  }

  /// A library with a name for the dynamic linker.
  public FakeDriver library(String path, String soname) throws IOException {
    return file(path, sharedObject(soname));
  }

  /// Only root may do it.
  boolean makeNodes(List<DeviceNode> nodes) throws IOException, InterruptedException {
    for (DeviceNode node : nodes) {
      Files.createDirectories(folder.resolve(node.path().substring(1)).getParent());
    }
    String script =
        nodes.stream()
            .map(node -> mknod(node, folder + node.path()))
            .collect(Collectors.joining(" && "));
    Process shell = new ProcessBuilder("sh", "-c", script).inheritIO().start();
    return shell.waitFor() == 0;
  }

  public DriverRoot root() {
    HostRoot root = new HostRoot(folder);
    return DriverRoot.at(root, Fact.DRIVER_ROOT, root, Optional.of(Fact.DRIVER_ROOT));
  }

  private static String mknod(DeviceNode node, String path) {
    return "mknod -m %o '%s' c %d %d && chown 0:%d '%s'"
        .formatted(node.permissions(), path, node.major(), node.minor(), node.group(), path);
  }

  /// The least that is an ELF library: a header, two segments, the dynamic section and its text.
  static byte[] sharedObject(String soname) {
    byte[] name = soname.getBytes(StandardCharsets.US_ASCII);
    int dynamicAt = 64 + 2 * 56;
    int textAt = dynamicAt + 3 * 16;
    int size = textAt + 1 + name.length + 1;
    ByteBuffer elf = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1});
    elf.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 2);
    segment(elf, 64, 1, 0, size);
    segment(elf, 64 + 56, 2, dynamicAt, 3 * 16);
    elf.putLong(dynamicAt, 5).putLong(dynamicAt + 8, textAt);
    elf.putLong(dynamicAt + 16, 14).putLong(dynamicAt + 24, 1);
    elf.put(textAt + 1, name);
    return elf.array();
  }

  private static void segment(ByteBuffer elf, int at, int type, int offset, int bytes) {
    elf.putInt(at, type).putLong(at + 8, offset).putLong(at + 16, offset).putLong(at + 32, bytes);
  }
}
