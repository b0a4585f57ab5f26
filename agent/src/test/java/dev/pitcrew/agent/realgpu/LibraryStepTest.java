package dev.pitcrew.agent.realgpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.nvml.LibraryProbe.Call;
import dev.pitcrew.hardware.nvml.LibraryProbe.Extent;
import dev.pitcrew.hardware.nvml.LibraryProbe.Findings;
import dev.pitcrew.hardware.nvml.LibraryProbe.Symbol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryStepTest {
  @TempDir Path recordings;

  @Test
  void namesReturnCodesThatTheSimulatorGivesOtherwise() throws IOException {
    record(found("NVIDIA H100", call("nvmlDeviceGetFanSpeed", 3, 0)));

    var section =
        new LibraryStep(recordings).of(found("NVIDIA H100", call("nvmlDeviceGetFanSpeed", 0, 4)));

    assertThat(section.lines())
        .contains("return codes: 1 differ from the simulator's")
        .contains("  nvmlDeviceGetFanSpeed : 0, the simulator 3");
  }

  @Test
  void theSameBoardIsCompared() throws IOException {
    record(found("NVIDIA A100", call("nvmlDeviceGetFanSpeed", 3, 0)));

    var section =
        new LibraryStep(recordings).of(found("NVIDIA H100", call("nvmlDeviceGetFanSpeed", 0, 4)));

    assertThat(section.lines())
        .contains("return codes: the simulator has no board named 'NVIDIA H100'");
  }

  @Test
  void namesMissingFunctionsAndStructuresThatAreTooLong() throws IOException {
    var symbols = List.of(new Symbol(List.of("nvmlNew_v2", "nvmlNew"), Optional.empty()));
    var calls = List.of(call("nvmlDeviceGetMemoryInfo", 0, 32));

    var section =
        new LibraryStep(recordings)
            .of(new Findings("580.65.06", "13", List.of("NVIDIA H100"), symbols, calls));

    assertThat(section.lines())
        .contains("  missing: nvmlNew_v2 or nvmlNew")
        .contains("structures: 1 calls write more than there is room for")
        .contains("  GPU 0 nvmlDeviceGetMemoryInfo : 32 bytes are written, 24 are known");
  }

  private void record(Findings found) throws IOException {
    Files.write(recordings.resolve("board.tsv"), LibraryStep.recording(found).toList());
  }

  private static Findings found(String board, Call call) {
    return new Findings("580.65.06", "13", List.of(board), List.of(), List.of(call));
  }

  private static Call call(String function, int code, long written) {
    return new Call(0, function, "", code, 24, written, Extent.WHOLE);
  }
}
