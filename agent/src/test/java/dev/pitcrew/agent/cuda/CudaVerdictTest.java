package dev.pitcrew.agent.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.cuda.CudaError;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.NotChecked;
import dev.pitcrew.hardware.cuda.CudaOutcome.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is concluded from outcomes, said of them, and kept for the next agent.
class CudaVerdictTest {
  private static final CudaOutcome PASSED = new CudaOutcome.Passed(1024, 12040);
  private static final CudaOutcome SHORT = new NotChecked("28 MiB are left", "give more");
  private static final String LOAD = "boot 4711";

  @Test
  void aGpuInUseHasProvedIt() {
    CudaVerdict verdict = verdict(PASSED, new CudaOutcome.InUse(), PASSED);

    assertThat(verdict.isProved()).isTrue();
    assertThat(verdict.message()).isEqualTo("a vector sum is right on GPU 0, GPU 2; in use: GPU 1");
  }

  @Test
  void aGpuWithoutMemoryForACheckIsNoFailure() {
    CudaVerdict verdict = verdict(PASSED, SHORT, SHORT);

    assertThat(verdict.hasFailed()).isFalse();
    assertThat(verdict.isProved()).isFalse();
    assertThat(verdict.message())
        .isEqualTo(
            "a vector sum is right on GPU 0; not checked: GPU 1, GPU 2: 28 MiB are left; give more");
  }

  @Test
  void aGpuThatIsKeptForOneProcessProvesNothing() {
    var reserved = new CudaOutcome.Busy(CudaError.RESERVED, "cuDeviceGetAttribute");

    assertThat(reserved.standing()).isEqualTo(Standing.UNKNOWN);
    assertThat(verdict(reserved).hasFailed()).isFalse();
    assertThat(new CudaOutcome.Busy(CudaError.OUT_OF_MEMORY, "cuMemAlloc_v2").standing())
        .isEqualTo(Standing.WORKS);
  }

  @Test
  void failedGpu_isNamedAlone() {
    CudaVerdict verdict =
        verdict(PASSED, new CudaOutcome.Unanswered(Duration.ofSeconds(30)), SHORT);

    assertThat(verdict.hasFailed()).isTrue();
    assertThat(verdict.message()).startsWith("GPU 1 (GPU-1): no answer within 30 seconds; look");
  }

  @Test
  void onlyProofsAreKept() {
    Map<String, CudaOutcome> found =
        Map.of(
            "GPU-0",
            PASSED,
            "GPU-1",
            new CudaOutcome.InUse(),
            "GPU-2",
            SHORT,
            "GPU-3",
            new CudaOutcome.WrongSum(7, 1, 2));

    String text = CudaProofs.of(LOAD, found).text();

    assertThat(CudaProofs.read(text, LOAD).orElseThrow().gpus())
        .isEqualTo(Map.of("GPU-0", PASSED, "GPU-1", new CudaOutcome.InUse()));
    assertThat(CudaProofs.read(text, "boot 4712")).as("of another load").isEmpty();
    assertThat(CudaProofs.read("", LOAD)).isEmpty();
  }

  @Test
  void aLineThatNoAgentWroteProvesNothing() {
    String text =
        """
        pitcrew-cuda-proofs 1 boot 4711
        GPU-0\tpitcrew-cuda\tpassed\tmany\t1
        GPU-1\tpitcrew-cuda\tfailed\tUNKNOWN\tcuInit\t
        GPU-2
        GPU-3\tpitcrew-cuda\tpassed\t1024\t12040
        """;

    assertThat(CudaProofs.read(text, LOAD).orElseThrow().gpus()).containsOnlyKeys("GPU-3");
  }

  private static CudaVerdict verdict(CudaOutcome... outcomes) {
    var gpus = new ArrayList<CheckedGpu>();
    for (CudaOutcome outcome : outcomes) {
      gpus.add(new CheckedGpu("GPU " + gpus.size(), "GPU-" + gpus.size(), outcome));
    }
    return new CudaVerdict(List.copyOf(gpus));
  }
}
