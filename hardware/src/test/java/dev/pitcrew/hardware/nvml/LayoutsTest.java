package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Sizes and offsets as a C compiler lays out NVIDIA's header on 64-bit Linux.
class LayoutsTest {

  @ParameterizedTest
  @CsvSource({
    "nvmlPciInfo_t, 68, busId, 36",
    "nvmlMemory_t, 24, used, 16",
    "nvmlEventData_t, 32, computeInstanceId, 28",
    "nvmlDeviceAttributes_t, 40, memorySizeMB, 32",
    "nvmlGpuInstanceProfileInfo_t, 48, memorySizeMB, 40",
    "nvmlGpuInstanceInfo_t, 24, placement, 16",
    "nvmlComputeInstanceProfileInfo_t, 36, sharedOfaCount, 32",
    "nvmlComputeInstanceInfo_t, 32, placement, 24",
    "nvmlGpuFabricInfo_t, 28, state, 24",
    "nvmlGpuFabricInfo_v2_t, 36, healthMask, 32"
  })
  void structuresHaveTheSizesOfTheirHeader(String name, long size, String field, long offset) {
    var layout = layout(name);

    assertThat(layout.byteSize()).isEqualTo(size);
    assertThat(layout.byteOffset(PathElement.groupElement(field))).isEqualTo(offset);
  }

  @Test
  void versionsContainTheSize() {
    assertThat(Layouts.version(Layouts.FABRIC_INFO_V2, 2)).isEqualTo(0x02000024);
  }

  private static StructLayout layout(String name) {
    return Layouts.ALL.stream()
        .filter(layout -> layout.name().orElse("").equals(name))
        .findFirst()
        .orElseThrow();
  }
}
