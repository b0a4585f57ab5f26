package dev.pitcrew.agent.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/// A folder that does what sysfs does.
record FakePci(Path root) {
  static final String GPU = "0000:0a:00.0";
  static final String SOUND = "0000:0a:00.1";
  static final String DEVICES = "/sys/bus/pci/devices/";
  private static final String DRIVERS = "/sys/bus/pci/drivers/";

  /// A kernel with `vfio-pci` and `nouveau`.
  static FakePci create(Path root) throws IOException {
    var pci = new FakePci(root);
    pci.text("/proc/sys/kernel/osrelease", "6.8.0\n");
    pci.text(
        "/lib/modules/6.8.0/modules.alias",
        "alias vfio_pci:v000010DEd00002342sv*sd*bc*sc*i* nvgrace_gpu_vfio_pci\n");
    pci.modprobe("exit 0");
    pci.driver("vfio-pci");
    Files.createDirectories(pci.at(DRIVERS + "nouveau"));
    return pci;
  }

  void driver(String name) throws IOException {
    text(DRIVERS + name + "/bind", "");
  }

  void device(String address, String pciClass, String modalias) throws IOException {
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
  void group(String address, int number) throws IOException {
    Files.createSymbolicLink(
        at(DEVICES + address + "/iommu_group"), Path.of("../../kernel/iommu_groups/" + number));
  }

  /// A device that programs open without its group.
  void character(String address, String name) throws IOException {
    Files.createDirectories(at(DEVICES + address + "/vfio-dev/" + name));
  }

  /// A process `4711 (qemu-kvm)` opens a file.
  void open(String file) throws IOException {
    text("/proc/4711/comm", "qemu-kvm\n");
    Files.createDirectories(at("/proc/4711/fd"));
    Files.createSymbolicLink(at("/proc/4711/fd/9"), Path.of(file));
  }

  void close() throws IOException {
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

  VfioDevices devices(VfioDevices.SysfsFile file) {
    var host = new HostRoot(root);
    return new VfioDevices(
        host, host, new HostShell(List.of(root.resolve("programs").toString())), file);
  }

  /// What the kernel does when its files are written.
  void written(Path file, String text) throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("no such file: " + file);
    }
    String name = String.valueOf(file.getFileName());
    Files.writeString(file, text);
    Path folder = file.resolveSibling(".").normalize();
    if (name.equals("bind")) {
      String driver = String.valueOf(folder.getFileName());
      assertThat(read(DEVICES + text + "/driver_override")).isEqualTo(driver);
      bindTo(text, driver);
    } else if (name.equals("unbind")) {
      Files.delete(at(DEVICES + text + "/driver"));
    }
  }

  void bindTo(String address, String driver) throws IOException {
    text(DRIVERS + driver + "/unbind", "");
    Files.createSymbolicLink(at(DEVICES + address + "/driver"), Path.of("../../drivers/" + driver));
  }

  Optional<String> driverOf(String address) {
    return new HostRoot(root).linkTargetName(DEVICES + address + "/driver");
  }

  String read(String path) throws IOException {
    return Files.readString(at(path));
  }

  private void text(String path, String text) throws IOException {
    Files.createDirectories(at(path).resolveSibling("."));
    Files.writeString(at(path), text);
  }

  private Path at(String path) {
    return root.resolve("." + path).normalize();
  }
}
