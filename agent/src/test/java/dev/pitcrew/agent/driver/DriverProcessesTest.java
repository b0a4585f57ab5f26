package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverProcessesTest {
  private static final String OF_MACHINE = "pid:[4026531836]";
  private static final String OF_POD = "pid:[4026532801]";

  @TempDir private Path root;
  private DriverPlaces places;

  @BeforeEach
  void prepare() {
    places = new DriverPlaces(new HostRoot(root), new HostRoot(root.resolve("host")));
  }

  @Test
  void theHostsOwnAreSeenAlsoByAPodThatHasItsOwnProcessesOnly() throws IOException {
    link("/proc/1/ns/pid", OF_POD);
    link("/host/proc/1/ns/pid", OF_MACHINE);
    process("/host/proc/4711", "nvidia-persiste", "/dev/nvidia0");

    assertThat(processes().users()).containsExactly("process 4711 (nvidia-persiste)");
    assertThat(processes().areAll()).isTrue();
  }

  @Test
  void thoseOfAPodAreNotAll() throws IOException {
    link("/proc/1/ns/pid", OF_POD);

    assertThat(processes().areAll()).isFalse();
  }

  @Test
  void aPodWithTheHostsProcessesNeedsNoMountOfThem() throws IOException {
    link("/proc/1/ns/pid", OF_MACHINE);
    process("/proc/4711", "python", "/dev/nvidia-uvm");

    assertThat(processes().users()).containsExactly("process 4711 (python)");
    assertThat(processes().areAll()).isTrue();
  }

  @Test
  void withoutAccessToTheFirstProcess_ownNamespaceDecides() throws IOException {
    link("/proc/self/ns/pid", OF_MACHINE);

    assertThat(processes().areAll()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dev/nvidiactl",
        "/dev/nvidia-caps/nvidia-cap1",
        "/dev/nvidia-caps-imex-channels/channel0",
        "/dev/nvidia0 (deleted)",
        "/dev/gdrdrv",
        "/run/nvidia/driver/dev/nvidia-modeset"
      })
  void filesOfTheDriverAreKnown(String file) throws IOException {
    process("/proc/7", "sh", file);

    assertThat(processes().users()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/dev/dri/card1, true",
    "/dev/dri/renderD129, true",
    "/run/nvidia/driver/dev/dri/card1, true",
    "/dev/dri/card1 (deleted), true",
    "/dev/dri/card0, false",
    "/dev/dri/by-path/pci-0000:0a:00.0-card, false"
  })
  void displayFile_isOfTheDriverIfItsDeviceIsOfNvidia(String file, boolean isDriver)
      throws IOException {
    vendor("card0", "0x1a03");
    vendor("card1", "0x10de");
    vendor("renderD129", "0x10de");
    process("/proc/7", "Xorg", file);

    assertThat(processes().users()).hasSize(isDriver ? 1 : 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dev/null", "/home/me/nvidia0", "/usr/lib/dev/nvidia/notes"})
  void othersAreNot(String file) throws IOException {
    process("/proc/7", "sh", file);

    assertThat(processes().users()).isEmpty();
  }

  private DriverProcesses processes() {
    return DriverProcesses.of(places);
  }

  private void vendor(String display, String vendor) throws IOException {
    Path device = Files.createDirectories(root.resolve("sys/class/drm/" + display + "/device"));
    Files.writeString(device.resolve("vendor"), vendor + "\n");
  }

  private void process(String folder, String name, String file) throws IOException {
    link(folder + "/fd/3", file);
    Files.writeString(root.resolve("." + folder + "/comm"), name + "\n");
  }

  private void link(String path, String target) throws IOException {
    Path link = root.resolve("." + path);
    Files.createDirectories(link.resolveSibling("."));
    Files.createSymbolicLink(link, Path.of(target));
  }
}
