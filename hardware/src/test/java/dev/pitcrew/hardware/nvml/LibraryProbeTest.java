package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.NvmlPath;
import dev.pitcrew.hardware.nvml.LibraryProbe.Call;
import dev.pitcrew.hardware.nvml.LibraryProbe.Findings;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryProbeTest {
  @TempDir Path folder;

  @Test
  void theSimulatedLibraryHasEveryFunctionAndKeepsToEachStructure() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g"));

    var found = probe(NvmlPath.in(new HostRoot(node.driverRoot())));

    assertThat(found.gpus()).containsExactly("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB");
    assertThat(found.symbols()).hasSizeGreaterThan(60).allMatch(it -> it.found().isPresent());
    assertThat(found.calls()).noneMatch(Call::isTooLong);
    assertThat(call(found, "nvmlDeviceGetPciInfo_v3").written()).isEqualTo(68);
    assertThat(call(found, "nvmlDeviceGetMemoryInfo").written()).isEqualTo(24);
  }

  @Test
  void aStructureThatTheLibraryWritesBeyondIsFound() throws Exception {
    var found =
        probe(
            stub(
                """
                int nvmlDeviceGetMemoryInfo(void *device, char *info) { memset(info, 1, 32); return 0; }
                """));

    var call = call(found, "nvmlDeviceGetMemoryInfo");
    assertThat(call.isTooLong()).isTrue();
    assertThat(call.written()).isEqualTo(32);
    assertThat(call.size()).isEqualTo(24);
  }

  /// A byte that happens to be the one that was there before counts too.
  @Test
  void theLastByteCountsWhateverItIs() throws Exception {
    var found =
        probe(
            stub(
                """
                int nvmlDeviceGetMemoryInfo(void *device, char *info) { memset(info, 0xa5, 24); return 0; }
                """));

    assertThat(call(found, "nvmlDeviceGetMemoryInfo").written()).isEqualTo(24);
  }

  @Test
  void missingFunctionsAndOlderNamesAreFound() throws Exception {
    var found = probe(stub("int nvmlDeviceGetPciInfo(void *device, char *info) { return 3; }\n"));

    assertThat(found.symbols())
        .contains(
            new LibraryProbe.Symbol(List.of("nvmlDeviceGetMigMode"), Optional.empty()),
            new LibraryProbe.Symbol(
                List.of(
                    "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"),
                Optional.of("nvmlDeviceGetPciInfo")));
    assertThat(call(found, "nvmlDeviceGetPciInfo_v3").code())
        .isEqualTo(NvmlError.FUNCTION_NOT_FOUND.code());
  }

  private String stub(String functions) throws Exception {
    return StubLibrary.build(
        folder,
        """
        int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
        int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = device; return 0; }
        """
            + functions);
  }

  private static Findings probe(String library) {
    return LibraryProbe.of(library).toOptional().orElseThrow();
  }

  private static Call call(Findings found, String function) {
    return found.calls().stream()
        .filter(it -> it.function().equals(function))
        .findFirst()
        .orElseThrow();
  }
}
