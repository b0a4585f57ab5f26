package dev.pitcrew.agent.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.runtime.HostShell;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On a folder that does what sysfs does.
class VfioDevicesTest {
  private static final String GPU = "0000:0a:00.0";
  private static final String SECOND = "0000:0b:00.0";
  private static final String SWITCH = "0000:0c:00.0";
  private static final String SOUND = "0000:0a:00.1";

  @TempDir private Path root;

  @BeforeEach
  void prepare() throws IOException {
    text("/proc/sys/kernel/osrelease", "6.8.0\n");
    text(
        "/lib/modules/6.8.0/modules.alias",
        "alias vfio_pci:v000010DEd00002342sv*sd*bc*sc*i* nvgrace_gpu_vfio_pci\n");
    modprobe("exit 0");
    Files.createDirectories(at("/sys/bus/pci/drivers/vfio-pci"));
    Files.createDirectories(at("/sys/bus/pci/drivers/nouveau"));
    text("/sys/bus/pci/drivers/vfio-pci/bind", "");
    device(GPU, "0x030200", "pci:v000010DEd00002330sv000010DEsd000016C1bc03sc02i00");
    device(SECOND, "0x030200", "pci:v000010DEd00002342sv000010DEsd000016C1bc03sc02i00");
    device(SWITCH, "0x068000", "pci:v000010DEd000022A3sv000010DEsd000016C1bc06sc80i00");
  }

  @Test
  void aGpuGoesFromOneDriverToTheOther() throws Exception {
    bindTo(GPU, "nouveau");

    assertThat(devices().bind(List.of(GPU))).isEmpty();

    assertThat(driver(GPU)).contains("vfio-pci");
    assertThat(read("/sys/bus/pci/devices/" + GPU + "/driver_override")).isEqualTo("vfio-pci");
    assertThat(devices().bind(List.of(GPU))).as("again").isEmpty();
    assertThat(devices().takenAway()).containsExactly(GPU);

    assertThat(devices().unbind(List.of(GPU))).isEmpty();
    assertThat(driver(GPU)).isEmpty();
    assertThat(read("/sys/bus/pci/devices/" + GPU + "/driver_override")).isEqualTo("\n");
    assertThat(devices().unbind(List.of(GPU))).as("again").isEmpty();
    assertThat(devices().takenAway()).isEmpty();
  }

  @Test
  void oneThatCannotBeBoundIsToldAndTheOthersAreBound() throws Exception {
    var failures = devices().bind(devices().all(false));

    assertThat(failures)
        .singleElement()
        .hasToString(SECOND + ": the module nvgrace_gpu_vfio_pci brought no driver of that name");
    assertThat(driver(GPU)).contains("vfio-pci");
  }

  @Test
  void aDriverMayBeWrittenWithTheOtherDash() throws Exception {
    Files.createDirectories(at("/sys/bus/pci/drivers/nvgrace-gpu-vfio-pci"));
    text("/sys/bus/pci/drivers/nvgrace-gpu-vfio-pci/bind", "");

    assertThat(devices().bind(List.of(SECOND))).isEmpty();
    assertThat(driver(SECOND)).contains("nvgrace-gpu-vfio-pci");
  }

  @Test
  void aModuleThatDoesNotLoadIsTheReason() throws Exception {
    modprobe("echo modprobe: FATAL: not found >&2; exit 1");

    assertThat(devices().bind(List.of(GPU)))
        .singleElement()
        .hasToString(GPU + ": modprobe vfio-pci: modprobe: FATAL: not found");
    assertThat(driver(GPU)).isEmpty();
  }

  @Test
  void aDisplaysSoundGoesWithIt() throws Exception {
    device(GPU, "0x030000", "pci:v000010DEd00002230sv000010DEsd000016C1bc03sc00i00");
    device(SOUND, "0x040300", "pci:v000010DEd00001AEFsv000010DEsd000016C1bc04sc03i00");
    Files.createDirectories(at("/sys/bus/pci/devices/" + GPU + "/consumer:pci:" + SOUND));

    assertThat(devices().bind(List.of(GPU))).isEmpty();
    assertThat(driver(SOUND)).contains("vfio-pci");
    assertThat(devices().unbind(List.of(GPU))).isEmpty();
    assertThat(driver(SOUND)).isEmpty();
  }

  @Test
  void switchesAreAmongThemOnlyWhereAsked() {
    assertThat(devices().all(false)).containsExactly(GPU, SECOND);
    assertThat(devices().all(true)).containsExactly(GPU, SECOND, SWITCH);
  }

  @Test
  void whatIsNotThereIsTold() throws Exception {
    assertThat(devices().unbind(List.of("0000:ff:00.0", "../../etc")))
        .extracting(Object::toString)
        .containsExactly(
            "0000:ff:00.0: there is no such PCI device", "../../etc: there is no such PCI device");
  }

  private VfioDevices devices() {
    var host = new HostRoot(root);
    return new VfioDevices(
        host, host, new HostShell(List.of(root.resolve("programs").toString())), this::sysfs);
  }

  /// What the kernel does when its files are written.
  private void sysfs(Path file, String text) throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("no such file: " + file);
    }
    String name = String.valueOf(file.getFileName());
    Files.writeString(file, text);
    Path folder = file.resolveSibling(".").normalize();
    if (name.equals("bind")) {
      String driver = String.valueOf(folder.getFileName());
      assertThat(read("/sys/bus/pci/devices/" + text + "/driver_override")).isEqualTo(driver);
      bindTo(text, driver);
    } else if (name.equals("unbind")) {
      Files.delete(at("/sys/bus/pci/devices/" + text + "/driver"));
    }
  }

  private void bindTo(String address, String driver) throws IOException {
    text("/sys/bus/pci/drivers/" + driver + "/unbind", "");
    Files.createSymbolicLink(
        at("/sys/bus/pci/devices/" + address + "/driver"), Path.of("../../drivers/" + driver));
  }

  private Optional<String> driver(String address) {
    return new HostRoot(root).linkTargetName("/sys/bus/pci/devices/" + address + "/driver");
  }

  private void device(String address, String pciClass, String modalias) throws IOException {
    String folder = "/sys/bus/pci/devices/" + address;
    text(folder + "/vendor", "0x10de\n");
    text(folder + "/device", "0x2330\n");
    text(folder + "/class", pciClass + "\n");
    text(folder + "/modalias", modalias + "\n");
    text(folder + "/driver_override", "(null)\n");
  }

  private void modprobe(String script) throws IOException {
    Path program = root.resolve("programs");
    Files.writeString(program, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String read(String path) throws IOException {
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
