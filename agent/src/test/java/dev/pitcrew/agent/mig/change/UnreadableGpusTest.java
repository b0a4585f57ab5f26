package dev.pitcrew.agent.mig.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.config.MigConfigParser;
import dev.pitcrew.agent.mig.config.ParsedMigConfig;
import dev.pitcrew.agent.mig.plan.WantedLayout;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One GPU of a node hangs or is lost: the others are divided all the same.
class UnreadableGpusTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final int UNREADABLE = 1;

  @TempDir Path folder;
  private SimulatedNode node;

  @BeforeEach
  void makeNode() {
    node =
        SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("h100").withGpus(3));
  }

  @Test
  void aLostGpuIsNamedAndTheOthersAreChanged() {
    node.lose(UNREADABLE);

    assertThat(divide(List.of(0, 1, 2)))
        .isInstanceOfSatisfying(
            ChangeOutcome.Incomplete.class,
            it -> assertThat(it.reason()).startsWith("GPU 1 cannot be read: "));
    assertThat(divided()).containsExactly(0, 2);
  }

  @Test
  void aGpuThatHangsIsNamedAndTheOthersAreChanged() {
    node.hang(UNREADABLE);

    ChangeOutcome outcome = divide(List.of(0, 1, 2));
    node.release(UNREADABLE);

    assertThat(outcome.text())
        .contains("GPU 1 cannot be read", "no answer within the deadline", "the other GPUs are");
    assertThat(divided()).containsExactly(0, 2);
  }

  @Test
  void unreadableGpuThatIsNotToChange_doesNotMatter() {
    node.lose(UNREADABLE);

    assertThat(divide(List.of(0, 2))).isEqualTo(new ChangeOutcome.Done(true));
    assertThat(divide(List.of(0, 2))).isEqualTo(new ChangeOutcome.Done(false));
  }

  @Test
  void anInstanceThatIsGoneBeforeItsStepCountsAsDestroyed() {
    assertThat(divide(List.of(0))).isEqualTo(new ChangeOutcome.Done(true));
    var steps = new ArrayList<String>();

    ChangeOutcome outcome =
        divide(
            List.of(0),
            "1g.10gb: 7",
            step -> {
              if (steps.isEmpty()) {
                node.divide("mode 0 1 1");
              }
              steps.add(step);
            });

    assertThat(outcome).isEqualTo(new ChangeOutcome.Done(true));
    assertThat(steps.getFirst()).contains("destroy");
    assertThat(node.migDevices()).hasSize(7);
  }

  private ChangeOutcome divide(List<Integer> gpus) {
    return divide(gpus, "3g.40gb: 2", _ -> {});
  }

  private ChangeOutcome divide(List<Integer> gpus, String devices, Progress progress) {
    String file =
        """
        version: v1
        mig-configs:
          wanted:
          - devices: %s
            mig-enabled: true
            mig-devices: {%s}
        """
            .formatted(gpus, devices);
    var parsed = (ParsedMigConfig.Accepted) MigConfigParser.parse(file);
    try (var access = access()) {
      var change = new MigChange(access, new Journal(folder), InstantSource.system(), progress);
      return change.run(
          new WantedLayout(parsed.config().entries("wanted"), false),
          new ChangeOptions(false, BusyPolicy.REFUSE, Duration.ofMinutes(1)));
    }
  }

  /// The GPUs that have instances.
  private List<Integer> divided() {
    try (var access = access()) {
      var read = access.gpus().flatMap(gpus -> gpus.read());
      assertThat(read).isInstanceOf(Answer.Value.class);
      return ((Answer.Value<MigNode>) read)
          .value().gpus().stream()
              .filter(gpu ->
                  gpu.division() instanceof MigPartitioning.Capable it && it.counts().size() == 1)
              .map(MigGpu::index)
              .toList();
    }
  }

  private OwnAccess access() {
    return new OwnAccess(
        new GpuSettings(new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()), TIMEOUT));
  }
}
