package dev.pitcrew.agent.vfio;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A folder that does what sysfs does (Documentation/ABI/testing/sysfs-bus-pci of the kernel):
/// `bind` and `unbind` take the address of a device that fits, or answer ENODEV; with a
/// `driver_override` no other driver than that one fits; `vfio-pci` fits no device without one.
///
/// @param changes each bind and unbind, as `unbind ADDRESS DRIVER`
public record FakePci(Path root, List<String> changes) {
  static final String GPU = "0000:0a:00.0";
  static final String SOUND = "0000:0a:00.1";
  public static final String DEVICES = "/sys/bus/pci/devices/";
  private static final String DRIVERS = "/sys/bus/pci/drivers/";

  FakePci(Path root) {
    this(root, new ArrayList<>());
  }

  /// A kernel with `vfio-pci`, `nvidia` and `nouveau`.
  public static FakePci create(Path root) throws IOException {
    var pci = new FakePci(root);
    pci.text("/proc/sys/kernel/osrelease", "6.8.0\n");
    pci.text(
        "/lib/modules/6.8.0/modules.alias",
        "alias vfio_pci:v000010DEd00002342sv*sd*bc*sc*i* nvgrace_gpu_vfio_pci\n");
    pci.modprobe("exit 0");
    pci.driver("vfio-pci");
    pci.driver("nvidia");
    pci.driver("nouveau");
    pci.text("/sys/bus/pci/drivers_probe", "");
    return pci;
  }

  void driver(String name) throws IOException {
    text(DRIVERS + name + "/bind", "");
  }

  public void device(String address, String pciClass, String modalias) throws IOException {
    String folder = DEVICES + address;
    text(folder + "/vendor", "0x10de\n");
    text(folder + "/device", "0x2330\n");
    text(folder + "/class", pciClass + "\n");
    text(folder + "/modalias", modalias + "\n");
    text(folder + "/driver_override", "(null)\n");
  }

  /// A display, and the sound that goes with it.
  void display() throws IOException {
    device(GPU, "0x030000", "pci:v000010DEd00002230sv000010DEsd000016C1bc03sc00i00");
    device(SOUND, "0x040300", "pci:v000010DEd00001AEFsv000010DEsd000016C1bc04sc03i00");
    Files.createDirectories(at(DEVICES + GPU + "/consumer:pci:" + SOUND));
  }

  /// A device that is alone in its IOMMU group.
  public void group(String address, int number) throws IOException {
    Files.createDirectories(at("/sys/kernel/iommu_groups/" + number + "/devices/" + address));
    Files.createSymbolicLink(
        at(DEVICES + address + "/iommu_group"), Path.of("../../kernel/iommu_groups/" + number));
  }

  /// A device that programs open without its group.
  public void character(String address, String name) throws IOException {
    Files.createDirectories(at(DEVICES + address + "/vfio-dev/" + name));
  }

  /// A process `4711 (qemu-kvm)` opens a file.
  public void open(String file) throws IOException {
    text("/proc/4711/comm", "qemu-kvm\n");
    Files.createDirectories(at("/proc/4711/fd"));
    Files.createSymbolicLink(at("/proc/4711/fd/9"), Path.of(file));
  }

  public void close() throws IOException {
    Files.delete(at("/proc/4711/fd/9"));
  }

  void modprobe(String script) throws IOException {
    Path program = root.resolve("programs");
    Files.writeString(program, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  VfioDevices devices() {
    return devices(this::written);
  }

  public VfioDevices devices(VfioDevices.SysfsFile file) {
    var host = new HostRoot(root);
    return new VfioDevices(
        host, host, new HostShell(List.of(root.resolve("programs").toString())), file);
  }

  /// What the kernel does when its files are written.
  public void written(Path file, String text) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    String name = String.valueOf(file.getFileName());
    String driver = String.valueOf(file.resolveSibling(".").normalize().getFileName());
    switch (name) {
      case "bind" -> bind(text, driver);
      case "unbind" -> {
        if (!driverOf(text).equals(Optional.of(driver))) {
          throw noDevice(file);
        }
        Files.delete(at(DEVICES + text + "/driver"));
        Files.deleteIfExists(at(lock(text)));
        changes.add("unbind %s %s".formatted(text, driver));
      }
      case "driver_override" ->
          Files.writeString(file, text.strip().isEmpty() ? "(null)\n" : text + "\n");
      case "drivers_probe" -> {} // no driver of the fake takes a device alone
      default -> Files.writeString(file, text);
    }
  }

  private void bind(String address, String driver) throws IOException {
    String override = read(DEVICES + address + "/driver_override").strip();
    boolean fits = override.equals("(null)") ? !driver.equals("vfio-pci") : override.equals(driver);
    if (!fits) {
      throw noDevice(at(DRIVERS + driver + "/bind"));
    }
    if (driverOf(address).isPresent()) {
      throw new FileSystemException(address, "", "Device or resource busy");
    }
    bindTo(address, driver);
    changes.add("bind %s %s".formatted(address, driver));
  }

  /// A file of the driver `nvidia`, there while it has the device.
  public static String lock(String address) {
    return "/proc/driver/nvidia/gpus/%s/unbindLock".formatted(address);
  }

  private static FileSystemException noDevice(Path file) {
    return new FileSystemException(file.toString(), "", "No such device");
  }

  public void bindTo(String address, String driver) throws IOException {
    text(DRIVERS + driver + "/unbind", "");
    Files.deleteIfExists(at(DEVICES + address + "/driver"));
    Files.createSymbolicLink(at(DEVICES + address + "/driver"), Path.of("../../drivers/" + driver));
    if (driver.equals("nvidia")) {
      text(lock(address), "0\n");
    }
  }

  public Optional<String> driverOf(String address) {
    return new HostRoot(root).linkTargetName(DEVICES + address + "/driver");
  }

  public String read(String path) throws IOException {
    return Files.readString(at(path));
  }

  public void text(String path, String text) throws IOException {
    Files.createDirectories(at(path).resolveSibling("."));
    Files.writeString(at(path), text);
  }

  private Path at(String path) {
    return root.resolve("." + path).normalize();
  }
}
