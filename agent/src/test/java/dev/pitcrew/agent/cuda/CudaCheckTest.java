package dev.pitcrew.agent.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The command, its child processes and the simulated libcuda.
class CudaCheckTest {
  @TempDir private Path folder;
  @TempDir private Path links;
  private SimulatedNode node;

  @BeforeEach
  void twoGpus() {
    node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(2));
  }

  @Test
  void everyGpuComputes() {
    CommandRun run = CommandRun.of(node, "cuda-check");

    assertThat(run.errors()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.output())
        .contains("GPU 0", "GPU 1", node.gpus().get(1).uuid())
        .contains("1024 sums are right (CUDA ");
  }

  @Test
  void json_reportsTheSame() {
    CommandRun run = CommandRun.of(node, "cuda-check", "--gpu", "1", "-o", "json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output())
        .contains("\"works\"", "\"result\"")
        .contains(node.gpus().get(1).uuid())
        .doesNotContain(node.gpus().get(0).uuid());
  }

  @Test
  void aHungGpuHoldsUpTheCheckNoLongerThanItsDeadline() throws Exception {
    // NVML would hang before, so the GPU is named to the check itself.
    CudaTarget target = CheckingParent.gpu(node.gpus().get(0).uuid());
    var deadline = Duration.ofSeconds(2);
    node.hang(0);

    var check = new CudaCheck(new HostRoot(node.driverRoot()), links, deadline);

    assertThat(check.of(List.of(target)))
        .containsExactly(
            new CheckedGpu("GPU 0", target.uuid(), new CudaOutcome.Unanswered(deadline)));
    node.release(0);
    await().ignoreExceptions().until(() -> unloads(node));
  }

  /// The kernel closes the files of a process that was killed a moment later.
  private static boolean unloads(SimulatedNode node) {
    node.simulate("unload", "--if-idle");
    return true;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wrong-sum|wrong|sum 7 is 25.25, not 24.25",
        "refuse-ptx|failed|the JIT compiler refuses the kernel: ptxas fatal",
        "crash|crashed|the check ended with 134"
      })
  void failingDriver_isNamed_andDoesNotEndTheProcess(String fault, String word, String detail)
      throws IOException {
    Files.writeString(Path.of(node.state() + ".cuda-fault"), fault);

    CommandRun run = CommandRun.of(node, "cuda-check", "--gpu", "0");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains(word, detail);
  }

  @Test
  void aGpuForOneProcessIsNotDisturbed() {
    node.set(0, "compute_mode", "3");

    CommandRun run = CommandRun.of(node, "cuda-check", "--gpu", "0");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).contains("busy", "its compute mode keeps it for one process");
  }

  @Test
  void aGpuWithoutFreeMemoryIsWell() {
    node.set(0, "memory_used_mib", "81000");

    CommandRun run = CommandRun.of(node, "cuda-check", "--gpu", "0");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).contains("busy", "no memory is left on the GPU");
  }

  @Test
  void aForbiddenGpuFailsWithTheRemedy() {
    node.set(1, "compute_mode", "2");

    CommandRun run = CommandRun.of(node, "cuda-check");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("works", "failed", "nvidia-smi -c 0");
  }

  @Test
  void aDividedGpuIsCheckedOnItsFirstDevice() {
    node.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");

    CommandRun run = CommandRun.of(node, "cuda-check", "--gpu", "0:0");

    assertThat(run.output()).contains("GPU 0 MIG 0", node.migDevices().getFirst().uuid());
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void withoutTheJitCompilerTheDriverIsIncomplete() throws Exception {
    try (var files = Files.walk(node.driverRoot())) {
      for (Path file : files.filter(CudaCheckTest::isCompiler).toList()) {
        Files.delete(file);
      }
    }

    CommandRun run = CommandRun.of(node, "cuda-check", "--gpu", "0");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("put libnvidia-ptxjitcompiler.so.1 of the driver's version");
  }

  @Test
  void aWrongGpuOrTimeoutIsNamed() {
    assertThat(CommandRun.of(node, "cuda-check", "--gpu", "9").errors())
        .contains("--gpu is '9': give any of 0 (GPU-");
    assertThat(CommandRun.of(node, "cuda-check", "--timeout", "1h").errors())
        .contains("--timeout is '1h'");
  }

  private static boolean isCompiler(Path file) {
    return String.valueOf(file.getFileName()).startsWith("libnvidia-ptxjitcompiler");
  }
}
