package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// The kernel's log of a simulated node: a file in the form of `/dev/kmsg`
/// (Documentation/ABI/testing/dev-kmsg). A reader that is at its end sees what comes next, and one
/// that opens it begins with the oldest record, as with the device. Unlike the device it gives
/// several records in one read, and forgets none.
public final class SimulatedKernelLog {
  private static final String DEVICE = "/dev/kmsg";
  private static final int KERNEL = 0;
  private static final int USER = 1;
  private static final int ERROR = 3;
  private static final int WARNING = 4;

  private final Path file;

  private SimulatedKernelLog(Path file) {
    this.file = file;
  }

  static Optional<SimulatedKernelLog> find(NodeFolder folder) {
    return Optional.of(folder.at(DEVICE)).filter(Files::exists).map(SimulatedKernelLog::new);
  }

  static SimulatedKernelLog of(NodeFolder folder) {
    return find(folder)
        .orElseGet(() -> {
          folder.folder("/dev");
          var log = new SimulatedKernelLog(folder.at(DEVICE));
          log.kernel("Linux version 6.8.0 (simulated)");
          return log;
        });
  }

  /// NVIDIA's driver writes a line, as a continuation of nothing.
  public void driver(String line) {
    append(KERNEL, WARNING, 'c', line);
  }

  /// Another part of the kernel writes a line.
  public void kernel(String line) {
    append(KERNEL, ERROR, '-', line);
  }

  /// A process writes to the device. The kernel gives it a facility of user space, whatever the
  /// process asks for (devkmsg_write in kernel/printk/printk.c).
  public void process(String line) {
    append(USER, WARNING, '-', line);
  }

  /// The driver reports an Xid of a whole GPU.
  public void xid(SimulatedGpu gpu, int code) {
    xid(gpu, code, "");
  }

  /// The driver reports an Xid of a MIG device.
  public void xid(SimulatedGpu gpu, int code, SimulatedMigDevice device) {
    xid(
        gpu,
        code,
        " GPU-I:%02d GPU-CI:%02d".formatted(device.gpuInstance(), device.computeInstance()));
  }

  private void xid(SimulatedGpu gpu, int code, String part) {
    String address = gpu.pciAddress().substring(0, gpu.pciAddress().lastIndexOf('.'));
    driver(
        "NVRM: Xid (PCI:%s%s): %d, pid=1234, name=python, simulated"
            .formatted(address, part, code));
  }

  private void append(int facility, int level, char flag, String line) {
    try {
      long sequence = Files.exists(file) ? Files.readAllLines(file).size() : 0;
      String message = line.replace("\n", "\\x0a");
      String record =
          "%d,%d,%d,%c;%s\n"
              .formatted(facility << 3 | level, sequence, sequence * 1000, flag, message);
      Files.writeString(file, record, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
