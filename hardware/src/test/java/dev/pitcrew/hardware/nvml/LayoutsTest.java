package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The record of what a C compiler makes of NVML's header, beside what is written here.
class LayoutsTest {

  @ParameterizedTest
  @MethodSource("layouts")
  void structuresAreThoseOfTheHeader(StructLayout layout) {
    var recorded =
        LayoutRecord.lines().filter(line -> line.startsWith("struct " + name(layout) + " "));

    assertThat(lines(layout)).containsExactlyInAnyOrderElementsOf(recorded.toList());
  }

  @Test
  void returnCodesAreThoseOfTheHeader() {
    var recorded = LayoutRecord.constants("NVML_ERROR_");
    var ours =
        Arrays.stream(NvmlError.values())
            .filter(error -> recorded.containsKey("NVML_ERROR_" + error.name()))
            .collect(
                Collectors.toMap(error -> "NVML_ERROR_" + error, error -> (long) error.code()));

    assertThat(ours).isEqualTo(recorded);
  }

  @Test
  void fieldsAreNumberedAsInTheHeader() {
    assertThat(LayoutRecord.constants("NVML_FI_DEV_"))
        .containsEntry("NVML_FI_DEV_ECC_DBE_VOL_TOTAL", (long) FieldCalls.ECC_DBE_VOL_TOTAL)
        .containsEntry("NVML_FI_DEV_RETIRED_PENDING", (long) FieldCalls.RETIRED_PENDING)
        .containsEntry("NVML_FI_DEV_REMAPPED_PENDING", (long) FieldCalls.REMAPPED_PENDING)
        .containsEntry("NVML_FI_DEV_REMAPPED_FAILURE", (long) FieldCalls.REMAPPED_FAILURE)
        .containsEntry(
            "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION", (long) FieldCalls.GET_GPU_RECOVERY_ACTION);
  }

  @Test
  void profilesAreCountedAsInTheHeader() {
    var gpu = LayoutRecord.constants("NVML_GPU_INSTANCE_PROFILE_");
    var compute = LayoutRecord.constants("NVML_COMPUTE_INSTANCE_PROFILE_");

    assertThat(values(gpu)).allMatch(value -> value < GpuInstanceProfile.CONSTANTS);
    assertThat(values(compute)).allMatch(value -> value < InstanceCalls.COMPUTE_PROFILES);
  }

  @Test
  void versionsContainTheSize() {
    assertThat(Layouts.version(Layouts.FABRIC_INFO_V2, 2)).isEqualTo(0x02000024);
  }

  // What each list ends with is its length.
  private static Stream<Long> values(Map<String, Long> constants) {
    return constants.entrySet().stream()
        .filter(Predicate.not(entry -> entry.getKey().endsWith("_COUNT")))
        .map(Map.Entry::getValue);
  }

  static Stream<StructLayout> layouts() {
    return Layouts.ALL.stream();
  }

  private static Stream<String> lines(StructLayout layout) {
    var whole = "struct %s - 0 %d".formatted(name(layout), layout.byteSize());
    return Stream.concat(
        Stream.of(whole),
        layout.memberLayouts().stream()
            .filter(member -> !(member instanceof PaddingLayout))
            .map(member -> line(layout, member)));
  }

  private static String line(StructLayout layout, MemoryLayout member) {
    var offset = layout.byteOffset(PathElement.groupElement(name(member)));
    return "struct %s %s %d %d".formatted(name(layout), name(member), offset, member.byteSize());
  }

  private static String name(MemoryLayout layout) {
    return layout.name().orElseThrow();
  }
}
