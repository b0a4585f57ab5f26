package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.Fabric;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoubtfulLibraryTest {
  private static final DeviceHandle DEVICE = new DeviceHandle(1);

  @TempDir Path folder;

  @Test
  void functionMissingInAnOldLibrary_isNotSupported() throws Exception {
    try (var nvml = open("")) {
      assertThat(nvml.mig().mode(DEVICE))
          .isEqualTo(new Answer.NotSupported<>("nvmlDeviceGetMigMode"));
      assertThat(nvml.devices().fabric(DEVICE))
          .isEqualTo(new Answer.NotSupported<>("nvmlDeviceGetGpuFabricInfoV"));
      assertThat(nvml.events().createSet())
          .isEqualTo(new Answer.NotSupported<>("nvmlEventSetCreate"));
      assertThat(nvml.links().isActive(DEVICE, 0))
          .isEqualTo(new Answer.NotSupported<>("nvmlDeviceGetNvLinkState"));
    }
  }

  @Test
  void olderNamesAreUsedWhereNewerAreMissing() throws Exception {
    try (var nvml =
        open(
            """
            int nvmlDeviceGetCount(unsigned *count) { *count = 3; return 0; }
            int nvmlDeviceGetPciInfo(void *device, char *info) { strcpy(info, "0000:3B:00.0"); return 0; }
            """)) {
      assertThat(nvml.driver().deviceCount()).isEqualTo(Answer.of(3));
      assertThat(nvml.devices().pciAddress(DEVICE)).isEqualTo(Answer.of("0000:3b:00.0"));
    }
  }

  @Test
  void theNewestNameIsPreferred() throws Exception {
    try (var nvml =
        open(
            """
            int nvmlDeviceGetCount(unsigned *count) { *count = 3; return 0; }
            int nvmlDeviceGetCount_v2(unsigned *count) { *count = 4; return 0; }
            """)) {
      assertThat(nvml.driver().deviceCount()).isEqualTo(Answer.of(4));
    }
  }

  @Test
  void olderEventsAreAboutTheWholeGpu() throws Exception {
    try (var nvml =
            open(
                """
                int nvmlEventSetWait(void *set, unsigned long long *data, unsigned timeout) {
                  data[0] = 1; data[1] = 8; data[2] = 79; return 0;
                }
                """);
        var events = nvml.events().wait(new EventSetHandle(1))) {
      assertThat(events.next(Duration.ofMillis(1)))
          .isEqualTo(
              Answer.of(new NvmlEvent(DEVICE, 8, 79, OptionalInt.empty(), OptionalInt.empty())));
    }
  }

  @Test
  void countsThatCannotBeAreRefused() throws Exception {
    try (var nvml =
        open(
            """
            int nvmlDeviceGetCount_v2(int *count) { *count = -1; return 0; }
            int nvmlDeviceGetMinorNumber(void *device, int *minor) { *minor = -7; return 0; }
            int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count) { *count = 4000000; return 0; }
            """)) {
      assertThat(nvml.driver().deviceCount().isFailedWith(NvmlError.IMPLAUSIBLE)).isTrue();
      assertThat(nvml.devices().minorNumber(DEVICE).isFailedWith(NvmlError.IMPLAUSIBLE)).isTrue();
      assertThat(nvml.mig().maxDeviceCount(DEVICE).isFailedWith(NvmlError.IMPLAUSIBLE)).isTrue();
    }
  }

  @Test
  void textWithoutAnEndIsReadToTheEndOfItsBuffer() throws Exception {
    try (var nvml =
        open(
            """
            int nvmlDeviceGetName(void *device, char *name, unsigned length) {
              memset(name, 'x', length); return 0;
            }
            int nvmlDeviceGetUUID(void *device, char *uuid, unsigned length) {
              memset(uuid, 0xff, length); return 0;
            }
            """)) {
      assertThat(nvml.devices().name(DEVICE)).isEqualTo(Answer.of("x".repeat(96)));
      assertThat(nvml.devices().uuid(DEVICE).isFailedWith(NvmlError.IMPLAUSIBLE)).isTrue();
    }
  }

  @Test
  void codesOfNewerLibrariesAreUnknown() throws Exception {
    try (var nvml = open("int nvmlDeviceGetCount_v2(unsigned *count) { return 77; }\n")) {
      assertThat(nvml.driver().deviceCount())
          .isEqualTo(new Answer.Failed<>(NvmlError.UNKNOWN, "nvmlDeviceGetCount_v2"));
    }
  }

  @Test
  void aFabricOfANewerLibraryIsReadByVersion() throws Exception {
    try (var nvml =
        open(
            """
            int nvmlDeviceGetGpuFabricInfoV(void *device, unsigned char *info) {
              if (*(unsigned *)info != 0x02000024) return 25;
              memset(info + 4, 0xab, 16);
              *(unsigned *)(info + 20) = 0; *(unsigned *)(info + 24) = 5; info[28] = 3;
              return 0;
            }
            """)) {
      var fabric = nvml.devices().fabric(DEVICE).toOptional().orElseThrow();
      assertThat(fabric.cluster()).hasToString("abababab-abab-abab-abab-abababababab");
      assertThat(fabric.clique()).isEqualTo(5);
      assertThat(fabric.fabric()).isInstanceOf(Fabric.Attached.class);
    }
  }

  @Test
  void aClosedLibraryIsNotCalled() throws Exception {
    var nvml = open("int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }\n");
    nvml.close();

    assertThat(nvml.driver().deviceCount().isFailedWith(NvmlError.UNINITIALIZED)).isTrue();
  }

  private NvmlLibrary open(String functions) throws IOException, InterruptedException {
    return StubLibrary.open(folder, functions);
  }
}
