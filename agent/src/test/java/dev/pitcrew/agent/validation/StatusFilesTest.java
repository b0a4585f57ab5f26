package dev.pitcrew.agent.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusFilesTest {
  private static final DriverFacts.Files CONTAINER = TestFacts.files(Optional.of("550.163.01"));
  private static final Check DRIVER = Check.passed(Component.DRIVER, "");

  @TempDir private Path folder;

  @Test
  void filesAreThereExactlyWhileTheirChecksPass() throws IOException {
    keep(DRIVER, Check.passed(Component.TOOLKIT, ""), Check.passed(Component.CDI, ""));
    assertThat(names()).containsExactly("driver-ready", "toolkit-ready");

    keep(DRIVER, Check.failed(Component.TOOLKIT, "NoRuntimeHandler", ""));
    assertThat(names()).containsExactly("driver-ready");
  }

  @Test
  void unknownFiles_andFilesOfOtherOwners_stay() throws IOException {
    Files.writeString(folder.resolve("plugin-ready"), "");
    Files.writeString(folder.resolve(".driver-ctr-ready"), "GDS_ENABLED: true\n");
    Files.writeString(folder.resolve("vfio-pci-ready"), "");

    keep(Check.unknown(Component.PLUGIN, ""), Check.off(Component.GDRCOPY, ""));

    assertThat(names()).containsExactly(".driver-ctr-ready", "plugin-ready", "vfio-pci-ready");
  }

  @Test
  void truthThatStaysIsNotWrittenAgain() throws IOException {
    keep(DRIVER);
    var first = Files.readAttributes(folder.resolve("driver-ready"), "unix:ino,ctime");

    keep(DRIVER);

    assertThat(Files.readAttributes(folder.resolve("driver-ready"), "unix:ino,ctime"))
        .isEqualTo(first);
  }

  @Test
  void driverOfAContainerIsFoundUnderItsMount() throws IOException {
    keep(DRIVER);

    assertThat(Files.readString(folder.resolve("driver-ready")))
        .isEqualTo(
            """
            IS_HOST_DRIVER=false
            NVIDIA_DRIVER_ROOT=/run/nvidia/driver
            DRIVER_ROOT_CTR_PATH=/driver-root
            NVIDIA_DEV_ROOT=/
            DEV_ROOT_CTR_PATH=/host
            """);
  }

  @Test
  void driverOfTheHostIsFoundUnderTheHostsMount() {
    var host =
        new DriverFacts.Files(
            "/",
            "/",
            Optional.of("550.163.01"),
            true,
            List.of(),
            List.of(),
            ContainerFlags.NOTHING);

    assertThat(StatusFiles.plan(List.of(DRIVER), host).get("driver-ready"))
        .hasValue(
            """
            IS_HOST_DRIVER=true
            NVIDIA_DRIVER_ROOT=/
            DRIVER_ROOT_CTR_PATH=/host
            NVIDIA_DEV_ROOT=/
            DEV_ROOT_CTR_PATH=/host
            """);
  }

  @Test
  void folderThatAShellWouldMisunderstandIsNotPassedOn() {
    var hostile =
        new DriverFacts.Files(
            "/x$(reboot)",
            "/",
            Optional.of("550"),
            true,
            List.of(),
            List.of(),
            ContainerFlags.NOTHING);

    assertThat(StatusFiles.plan(List.of(DRIVER), hostile).get("driver-ready")).isEmpty();
  }

  @Test
  void folderThatCannotBeWrittenIsNamed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));

    assertThat(new StatusFiles(file).keep(List.of(DRIVER), CONTAINER))
        .singleElement()
        .asString()
        .contains(file.toString(), "writable");
  }

  private void keep(Check... checks) {
    assertThat(new StatusFiles(folder).keep(List.of(checks), CONTAINER)).isEmpty();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
