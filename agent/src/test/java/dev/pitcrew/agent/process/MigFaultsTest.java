package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.realnode.KillCheck;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// Each step of a change of MIG in the agent ends badly in each way: the agent is killed after it,
/// the node is rebooted too, the call fails, it does not return, or time is up. In the end the GPUs
/// are divided as it is wanted and no user had to help; until then they are divided as they were,
/// with a reason. A GPU that the change is not about is never withdrawn.
class MigFaultsTest {
  // Test budget 180 s: 34 combinations of step and fault, each with an agent or two.
  private static final Duration CALLS = Duration.ofSeconds(3);
  private static final Map<Step, Map<Fault, String>> TABLE = new EnumMap<>(Step.class);

  enum Fault {
    KILL,
    REBOOT,
    ERROR,
    HANG,
    DEADLINE
  }

  /// What is done in a change, in its order.
  enum Step {
    HELD_BACK("agent.mig.MigReporter#pending", "", ""),
    JOURNAL_WRITTEN("agent.mig.change.Journal#begin", "", ""),
    MODE_SET("hardware.gpu.Partitions#setMode", "nvmlDeviceSetMigMode", "set MIG mode on"),
    GPU_RESET("agent.mig.change.OwnAccess#reset", "reset", "resetting GPUs"),
    COMPUTE_DESTROYED(
        "hardware.gpu.Partitions#destroyCompute",
        "nvmlComputeInstanceDestroy",
        "destroy compute instance"),
    INSTANCE_DESTROYED(
        "hardware.gpu.Partitions#destroyInstance", "nvmlGpuInstanceDestroy", "destroy 1g.5gb at"),
    INSTANCE_CREATED(
        "hardware.gpu.Partitions#createInstance",
        "nvmlDeviceCreateGpuInstanceWithPlacement",
        "create 3g.20gb at"),
    COMPUTE_CREATED(
        "hardware.gpu.Partitions#createCompute",
        "nvmlGpuInstanceCreateComputeInstance",
        "create a compute instance"),
    JOURNAL_REMOVED("agent.mig.change.Journal#end", "", ""),
    DRIVER_RETURNED("agent.mig.MigReporter#returnDriver", "", "");

    private final String place;
    private final String call;
    private final String words;

    /// @param call that the simulated driver can fail; empty where there is none
    /// @param words of the step, before which time may be up; empty where it is no step
    Step(String place, String call, String words) {
      this.place = "dev.pitcrew." + place;
      this.call = call;
      this.words = words;
    }

    private boolean canHang() {
      return call.startsWith("nvml");
    }
  }

  @TempDir Path folder;
  private MigTestNode divided;
  private SimulatedNode node;
  private String before;
  private StepClock clock;

  @BeforeEach
  void makeNode() throws IOException {
    divided = MigTestNode.create(folder.resolve("node"));
    node = divided.node();
    clock = divided.clock();
    before = layout();
  }

  @AfterEach
  void end() {
    divided.close();
  }

  @AfterAll
  static void printTable() {
    System.out.printf("%-19s %-9s %s%n", "STEP", "FAULT", "HOW IT ENDED");
    TABLE.forEach((step, faults) ->
        faults.forEach((fault, end) -> System.out.printf("%-19s %-9s %s%n", step, fault, end)));
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void theNextAgentFinishesWhatAKilledOneBegan(Step step) throws Exception {
    killAt(step);
    finish(step, Fault.KILL);
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void killedChange_isFinishedAfterAReboot(Step step) throws Exception {
    killAt(step);
    // Instances go with the power, the mode that was set comes into force.
    node.simulate("reset", "all", "--force");
    node.reboot();
    finish(step, Fault.REBOOT);
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.EXCLUDE,
      names = {"HELD_BACK", "JOURNAL_WRITTEN", "JOURNAL_REMOVED", "DRIVER_RETURNED"})
  void failedChange_isRolledBackAndRetried(Step step) throws IOException {
    node.simulate("fail", step.call, "999", "1");
    start();

    String reason = awaitFailure("ChangeFailed");
    assertThat(reason).contains("the GPUs are again divided as before");
    assertIsAsBefore();

    tryAgain(step, Fault.ERROR, reason);
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.EXCLUDE,
      names = {"HELD_BACK", "JOURNAL_WRITTEN", "JOURNAL_REMOVED", "DRIVER_RETURNED", "GPU_RESET"})
  void hungCall_isNotAwaited(Step step) throws IOException {
    assertThat(step.canHang()).isTrue();
    node.simulate("fail", step.call, "hang", "1");
    start();

    String reason = awaitFailure("ChangeFailed");
    assertThat(reason).contains("no answer within the deadline");
    node.release(0);
    node.release(1);

    tryAgain(step, Fault.HANG, reason);
  }

  /// A disk that takes nothing keeps the first effect from being made.
  @Test
  void changeThatCouldNotBeRolledBack_isNotStarted() throws IOException {
    Path draft = clock.journal().resolveSibling(".mig-before-change.json.draft");
    Files.createDirectories(draft.resolve("in-the-way"));
    start();

    String reason = awaitFailure("ChangeFailed");
    assertThat(reason).contains("cannot be written", "nothing was changed");
    assertIsAsBefore();
    Files.delete(draft.resolve("in-the-way"));
    Files.delete(draft);

    tryAgain(Step.JOURNAL_WRITTEN, Fault.ERROR, reason);
  }

  /// The clock leaps over the deadline before the first step, before the second, and so on.
  @Test
  void nothingIsDoneAfterTheDeadline() throws IOException {
    Set<Step> left = EnumSet.allOf(Step.class);
    left.removeIf(step -> step.words.isEmpty());
    for (int i = 1; !left.isEmpty(); i++) {
      assertThat(i).as("steps at which no deadline was over: %s", left).isLessThan(20);
      clock.leapBefore(i, MigLimits.USUAL.forTheChange().plusSeconds(1));
      start();
      String reason = awaitFailure("ChangeFailed");
      assertThat(reason)
          .contains("the deadline is over before", "the GPUs are again divided as before");
      assertIsAsBefore();
      for (Step step : Step.values()) {
        if (!step.words.isEmpty() && reason.contains(step.words) && left.remove(step)) {
          row(step, Fault.DEADLINE, "as before: " + words(reason));
        }
      }
      divided.stop();
    }
    start();
    awaitSuccess();
  }

  @Test
  void podsInTheWayAreWaitedForTenMinutes() throws IOException {
    var held =
        new TestPodResources.Held(
            "team-a", "trainer", "0b2a4e2e-6f0a-4a3e-9d8d-0c5f9d3c1f12", node.gpus().get(1).uuid());
    divided.holdBy(held);
    start();
    await()
        .atMost(MigTestNode.LIMIT)
        .until(() -> divided.agent().facts().reason().equals("WaitingForPods"));
    assertThat(divided.agent().facts().phase()).isEqualTo(Phase.PENDING);
    assertThat(divided.agent().view().withheld()).containsKey(node.gpus().get(1).uuid());

    divided.pass(Duration.ofMinutes(9));
    await()
        .during(Duration.ofSeconds(1))
        .atMost(MigTestNode.LIMIT)
        .until(() -> divided.agent().facts().phase() == Phase.PENDING);

    divided.pass(Duration.ofMinutes(1));
    String reason = awaitFailure("Busy");
    assertThat(reason)
        .contains("GPU 1 is held by pod team-a/trainer still after 10 minutes")
        .contains("as soon as it is gone");
    assertIsAsBefore();
    divided.holdBy();
    divided.pass(Duration.ofSeconds(10));
    awaitSuccess();
  }

  private void killAt(Step step) throws Exception {
    String said = MigTestAgent.killed(node.hostRoot(), folder, step.place);
    assertThat(said).contains(KillCheck.LAST_WORDS + step.place).doesNotContain("was withdrawn");
  }

  private void finish(Step step, Fault fault) throws IOException {
    long begin = System.nanoTime();
    start();
    awaitSuccess();
    row(step, fault, "as wanted, %d ms after the next start".formatted(millis(begin)));
  }

  private void tryAgain(Step step, Fault fault, String reason) throws IOException {
    clock.move(Duration.ofMinutes(1));
    long begin = System.nanoTime();
    divided.agent().wake();
    awaitSuccess();
    row(
        step,
        fault,
        "%s; a minute later as wanted, within %d ms".formatted(words(reason), millis(begin)));
  }

  private void start() {
    divided.start(MigLimits.USUAL.withCalls(CALLS), MigTestAgent.Order.USUAL);
  }

  private String awaitFailure(String reason) {
    await()
        .atMost(MigTestNode.LIMIT)
        .untilAsserted(() -> assertThat(divided.agent().facts().phase()).isEqualTo(Phase.FAILED));
    assertThat(divided.agent().facts().reason()).isEqualTo(reason);
    return divided.agent().facts().message();
  }

  /// Divided as wanted, and nothing is held back any more.
  private void awaitSuccess() throws IOException {
    await()
        .atMost(MigTestNode.LIMIT)
        .untilAsserted(() ->
            assertThat(divided.agent().facts().phase())
                .as("%s", divided.agent().facts())
                .isEqualTo(Phase.SUCCESS));
    assertThat(node.migDevices()).extracting(it -> it.gpu()).containsExactly(0, 0, 1, 1);
    assertThat(layout()).isNotEqualTo(before);
    assertIsFree();
  }

  private void assertIsAsBefore() throws IOException {
    assertThat(layout()).isEqualTo(before);
    assertIsFree();
  }

  private void assertIsFree() {
    assertThat(divided.agent().view().withheld()).isEmpty();
    assertThat(divided.agent().view().needsDriver()).isFalse();
    assertThat(clock.journal()).doesNotExist();
    assertThat(divided.agent().losses()).isEmpty();
  }

  private static void row(Step step, Fault fault, String end) {
    TABLE.computeIfAbsent(step, _ -> new EnumMap<>(Fault.class)).put(fault, end);
  }

  private static String words(String reason) {
    return reason.replaceAll(";.*", "");
  }

  private static long millis(long begin) {
    return Duration.ofNanos(System.nanoTime() - begin).toMillis();
  }

  /// Modes, instances and their places, as a checkpoint shows them.
  private String layout() throws IOException {
    Path file = folder.resolve("checkpoint.json");
    CommandRun run = CommandRun.of(node, "mig", "checkpoint", "-f", file.toString());
    assertThat(run.exitCode()).as(run.errors()).isZero();
    return Files.readString(file);
  }
}
