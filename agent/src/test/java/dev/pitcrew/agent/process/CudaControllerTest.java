package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When the GPUs of a node are checked, and which. A library that computes wrongly shows whether a
/// GPU was asked.
class CudaControllerTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String OFF =
      """
      {"validator": {"cuda": {"env": [{"name": "WITH_WORKLOAD", "value": "false"}]}}}
      """;

  /// Of no process of this machine.
  private static final String PROCESS = "9999999";

  private static final String HALVES =
      "mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\ngi 0 2 2 4 4\nci 0 2 0 2 0 3\n";

  private SimulatedNode node;
  private Optional<CheckingAgent> running = Optional.empty();

  @BeforeEach
  void twoGpus(@TempDir Path folder) {
    node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(2));
  }

  @AfterEach
  void stop() {
    running.ifPresent(CheckingAgent::close);
    running = Optional.empty();
  }

  @Test
  void eachGpuIsCheckedOnceForALoadOfTheDriver() throws IOException {
    start("{}");
    awaitVerdict(CudaVerdict::isProved);
    breakLibrary();

    stop();
    start("{}");
    awaitVerdict(verdict -> verdict.gpus().size() == 2);
    assertThat(agent().verdicts())
        .as("by the next agent")
        .containsExactly("a vector sum is right on each of 2 GPUs");

    node.unloadDriver();
    await().atMost(LIMIT).until(() -> agent().verdict().isEmpty());
    node.loadDriver();
    awaitVerdict(verdict -> verdict.hasFailed() && verdict.gpus().size() == 2);
  }

  @Test
  void aGpuThatIsDividedLaterIsNotCheckedAgain() throws IOException {
    start("{}");
    awaitVerdict(CudaVerdict::isProved);
    breakLibrary();

    node.divide(HALVES);

    awaitVerdict(verdict -> verdict.gpus().getFirst().name().equals("GPU 0 MIG 0"));
    assertThat(verdict().isProved()).isTrue();
  }

  @Test
  void aGpuThatFailedIsCheckedAgainAfterFiveMinutes() throws IOException {
    breakLibrary();
    start("{}");
    awaitVerdict(verdict -> verdict.hasFailed() && verdict.gpus().size() == 2);
    Files.delete(fault());

    agent().pass(Duration.ofMinutes(4));
    assertThat(verdict().hasFailed()).isTrue();
    agent().pass(Duration.ofMinutes(2));

    awaitVerdict(CudaVerdict::isProved);
  }

  @Test
  void checkThatIsTurnedOff_dropsItsVerdict() {
    start("{}");
    awaitVerdict(CudaVerdict::isProved);

    agent().say(OFF);

    await().atMost(LIMIT).until(() -> agent().verdict().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--compute", "--graphics", "--mps"})
  void aGpuInUseHasProvedIt(String sort) throws IOException {
    node.simulate("process", "0", PROCESS, "512", sort);
    breakLibrary();
    start("{}");

    awaitVerdict(verdict -> verdict.gpus().size() == 2);
    assertThat(verdict().gpus().getFirst().outcome()).hasToString("InUse[]");
    assertThat(verdict().message()).as("the other one was asked").startsWith("GPU 1 (");
  }

  @Test
  void aDividedGpuInUseHasProvedIt() throws IOException {
    node.divide(HALVES);
    node.simulate("process", "0", PROCESS, "512", "2", "0");
    breakLibrary();
    start("{}");

    awaitVerdict(verdict -> verdict.gpus().size() == 2);
    assertThat(verdict().gpus().getFirst().outcome()).hasToString("InUse[]");
  }

  @Test
  void aGpuForOneProcessIsLeftToIt() throws IOException {
    node.set(0, "compute_mode", "3");
    node.set(1, "compute_mode", "3");
    breakLibrary();
    start("{}");

    awaitVerdict(verdict -> verdict.gpus().size() == 2);
    assertThat(verdict().hasFailed()).isFalse();
    assertThat(verdict().message())
        .startsWith("not checked: GPU 0, GPU 1: in use, and not disturbed");
  }

  @Test
  void aGpuThatAPodHoldsIsLeftToIt() throws IOException {
    String device = node.gpus().get(0).uuid() + "::1";
    breakLibrary();
    try (var _ =
        TestPodResources.start(
            node.hostRoot(), new TestPodResources.Held("ml", "train", "uid", device))) {
      start("{}");

      awaitVerdict(verdict -> verdict.gpus().size() == 2);
    }
    assertThat(agent().verdicts())
        .contains("not checked: GPU 0: held by pod ml/train, which does not use it");
    assertThat(verdict().message()).startsWith("GPU 1 (");
  }

  @Test
  void aGpuThatIsBeingChangedIsCheckedAfterwards() throws Exception {
    start(OFF);
    var changed = new CountDownLatch(1);
    Thread change = Thread.ofVirtual().start(() -> agent().driver().alone(() -> change(changed)));
    await().atMost(LIMIT).until(() -> agent().driver().alone(() -> true).isEmpty());

    agent().say("{}");
    awaitVerdict(
        verdict -> verdict.message().equals("not checked: GPU 0, GPU 1: it is being changed"));
    changed.countDown();
    change.join();
    agent().pass(Duration.ofSeconds(6));

    awaitVerdict(CudaVerdict::isProved);
  }

  @Test
  void aGpuWithoutMigDeviceIsNamed() {
    node.divide("mode 0 1 1\n");
    start("{}");

    awaitVerdict(verdict -> verdict.gpus().size() == 2);
    assertThat(verdict().hasFailed()).isFalse();
    assertThat(verdict().message())
        .isEqualTo(
            "a vector sum is right on GPU 1; not checked: GPU 0: in MIG mode, and without a MIG device");
  }

  private static boolean change(CountDownLatch changed) {
    try {
      return changed.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void start(String policy) {
    running = Optional.of(CheckingAgent.start(node.hostRoot(), policy));
  }

  private CheckingAgent agent() {
    return running.orElseThrow();
  }

  private CudaVerdict verdict() {
    return agent().verdict().orElseThrow();
  }

  private void breakLibrary() throws IOException {
    Files.writeString(fault(), "wrong-sum");
  }

  private Path fault() {
    return Path.of(node.state() + ".cuda-fault");
  }

  private void awaitVerdict(Predicate<CudaVerdict> claim) {
    await()
        .atMost(LIMIT)
        .until(() -> agent().verdict().filter(it -> it.waiting() == 0).filter(claim).isPresent());
  }
}
