package dev.pitcrew.testbed.gpu;

import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What can be wrong with a simulated node around its GPUs, each a switch that can be put back.
public final class HostFaults {
  private static final String MODULES = "/proc/modules";
  private static final String LOADED = "%s 16384 0 - Live 0x0000000000000000";
  private static final String SECURE_BOOT =
      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
  private static final String KERNEL_LOG = "/dev/kmsg";
  private static final String ASIDE = ".aside";

  private final NodeFolder folder;

  HostFaults(NodeFolder folder) {
    this.folder = folder;
  }

  /// Loads a kernel module that does nothing, such as `nouveau` or `gdrdrv`.
  public void loadModule(String name) {
    announced(name, () -> modules(Stream.concat(Stream.of(LOADED.formatted(name)), others(name))));
  }

  public void unloadModule(String name) {
    announced(name, () -> modules(others(name)));
  }

  /// Binds a PCI function to another kernel driver, such as `vfio-pci`.
  public void bind(String address, String driver) {
    announced(driver, () -> new HostFiles(folder).bind(address, driver));
  }

  /// What the firmware says of Secure Boot: four bytes of attributes, then the value.
  public void secureBoot(boolean isOn) {
    announced(
        "secure-boot",
        () -> folder.bytes(SECURE_BOOT, new byte[] {6, 0, 0, 0, (byte) (isOn ? 1 : 0)}));
  }

  /// The kernel log, in its own form.
  public void kernelSays(String... messages) {
    var lines = new StringBuilder();
    for (int i = 0; i < messages.length; i++) {
      lines.append("5,%d,%d,-;%s\n".formatted(i, i * 1000, messages[i]));
    }
    announced("kernel-log", () -> folder.text(KERNEL_LOG, lines.toString()));
  }

  /// Starts the fabric manager, or ends it.
  public void fabricManager(boolean isOn) {
    var files = new HostFiles(folder);
    if (isOn) {
      files.fabricManager();
    } else {
      files.noFabricManager();
    }
  }

  /// Takes a file, a link or a folder away, so that it can be [put back][#restore].
  public void hide(String hostPath) {
    announced("hide", () -> folder.move(hostPath, hostPath + ASIDE));
  }

  public void restore(String hostPath) {
    announced("restore", () -> folder.move(hostPath + ASIDE, hostPath));
  }

  /// A file of the node, such as a runtime's configuration; whole at once.
  public void file(String hostPath, String content) {
    folder.text(hostPath + ASIDE, content);
    folder.move(hostPath + ASIDE, hostPath);
  }

  public void delete(String hostPath) {
    folder.delete(hostPath);
  }

  public boolean exists(String hostPath) {
    return Files.exists(folder.at(hostPath));
  }

  /// A kernel announces what happens to its modules and functions. No program can do that for a
  /// folder, so a device file without a meaning appears and disappears in its place.
  private void announced(String what, Runnable change) {
    change.run();
    announce(what);
  }

  void announce(String what) {
    var sign = "/dev/nvidia-simulated-" + what;
    folder.text(sign, "");
    folder.delete(sign);
  }

  private Stream<String> others(String module) {
    return folder.lines(MODULES).stream().filter(line -> !line.startsWith(module + " "));
  }

  private void modules(Stream<String> lines) {
    List<String> all = lines.toList();
    folder.text(MODULES, all.stream().collect(Collectors.joining("\n", "", "\n")));
  }
}
