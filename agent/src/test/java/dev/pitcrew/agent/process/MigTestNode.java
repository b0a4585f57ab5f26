package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// A node with three GPUs two of which are to be divided otherwise than they are, the clock of who
/// does it, and one agent after the other.
final class MigTestNode implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(90);

  private final SimulatedNode node;
  private final StepClock clock;
  private Optional<MigTestAgent> running = Optional.empty();
  private TestPodResources pods;

  private MigTestNode(SimulatedNode node) {
    this.node = node;
    this.pods = serve(node);
    this.clock = new StepClock(node.hostRoot().resolve("var/lib/pitcrew/mig-before-change.json"));
  }

  static MigTestNode create(Path folder) {
    return create(folder, SimulatedNodeOptions.of("a100-40g"));
  }

  static MigTestNode create(Path folder, SimulatedNodeOptions options) {
    SimulatedNode node = SimulatedNode.create(folder, options.withGpus(3));
    node.divide(MigTestAgent.BEFORE);
    return new MigTestNode(node);
  }

  private static TestPodResources serve(SimulatedNode node, PodResources... holders) {
    try {
      return TestPodResources.start(node.hostRoot(), holders);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The kubelet's word on its pods from now on.
  void holdBy(PodResources... holders) {
    pods.close();
    pods = serve(node, holders);
  }

  /// As [#holdBy(PodResources...)], with a device each.
  void holdBy(TestPodResources.Held held) throws IOException {
    pods.close();
    pods = TestPodResources.start(node.hostRoot(), held);
  }

  /// The kubelet is gone, and so is its socket.
  void stopKubelet() throws IOException {
    pods.close();
    Files.deleteIfExists(node.hostRoot().resolve(KubeletPods.SOCKET.substring(1)));
  }

  SimulatedNode node() {
    return node;
  }

  StepClock clock() {
    return clock;
  }

  void start(MigLimits limits, MigTestAgent.Order order) {
    running = Optional.of(MigTestAgent.start(node.hostRoot(), clock, limits, order));
  }

  MigTestAgent agent() {
    return running.orElseThrow();
  }

  /// Lets time pass for the agent that runs.
  void pass(Duration time) {
    clock.move(time);
    agent().wake();
  }

  void awaitPhase(Phase phase, String reason) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(agent().facts().reason()).as("%s", agent().facts()).isEqualTo(reason);
          assertThat(agent().facts().phase()).isEqualTo(phase);
        });
  }

  /// Ends the agent that runs, if one does.
  void stop() {
    running.ifPresent(MigTestAgent::close);
    running = Optional.empty();
  }

  @Override
  public void close() {
    stop();
    pods.close();
  }
}
