package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The agent is killed after each thing that it does for others than the kubelet, and the next one
/// carries on: nothing claims what is not so, containers get their GPUs but for the one that was
/// being created, daemons of MPS get their limits, and pods run on.
@WithGpuNode
class ServingKillTest {
  // Test budget 220 s: each of its kills costs the start of an agent on a real node.
  private static final String METRIC = "gpu_operator_node_driver_ready";
  private static final String PAUSED = "nvidia.com/gpu.deploy.operator-validator";

  private final GpuNode node;
  private final AgentOnNode agent;
  private final MpsSupervisorOnNode supervisor;
  private final NvidiaClass nvidia;
  private final NodePromises promises;
  private final Kills kills;
  private int replicas = 2;

  ServingKillTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    supervisor = new MpsSupervisorOnNode(node);
    nvidia = NvidiaClass.addedTo(node);
    promises = new NodePromises(node);
    kills =
        new Kills(
            node,
            agent,
            Stream.of(ServingKillPoint.values()).map(ServingKillPoint::place).toList());
    promises.ask(agent);
    share();
  }

  @AfterEach
  void close() {
    promises.askNoMore(agent);
    promises.close();
    supervisor.close();
    agent.close();
  }

  @Test
  void whateverTheAgentDidLastForOthersTheNextOneCarriesOn() {
    supervisor.start();
    awaitAllWell(kills.begin());
    node.awaitAllocatable(GpuNode.GPU, devices());
    try (var one = node.run(1);
        var other = nvidiaPod()) {
      Map<String, Set<String>> before = node.devices().ofPods();
      for (ServingKillPoint point : ServingKillPoint.values()) {
        surviveKillAt(point);
        assertThat(one.isRunning() && other.isRunning()).as("after %s", point).isTrue();
        assertThat(node.devices().ofPods()).as("after %s", point).isEqualTo(before);
      }
    }
    kills.assertSurvived(ServingKillPoint.values().length);
  }

  private GpuPod nvidiaPod() {
    return node.run(nvidia.requiring("all"));
  }

  /// An agent that starts after a kill is killed itself, further on in its start; each leaves what
  /// it did to the next. A soak lets an agent recover after each of them.
  private void surviveKillAt(ServingKillPoint point) {
    if (!point.cause().isStart()) {
      var doomed = kills.arm(point.place());
      Optional<ProbePod> customer = cause(point, doomed);
      doomed.awaitEnd();
      recover(point);
      customer.ifPresent(pod -> assertGetsItsGpus(point, pod));
      return;
    }
    agent.kill();
    if (point.cause() == ServingKillPoint.Cause.NO_STATUS_FILE) {
      promises.forget();
    }
    kills.begin(point.place()).awaitEnd();
    if (point == ServingKillPoint.lastOfStart() || Soak.plays("recovery after " + point)) {
      recover(point);
    } else {
      kills.survived(point + ": the next agent started");
    }
  }

  private void recover(ServingKillPoint point) {
    long start = System.nanoTime();
    var next = kills.begin();
    boolean isCauseOver = endCause(point);
    awaitAllWell(next);
    kills.survived(
        "%s: all well %d ms after the new start%s"
            .formatted(
                point,
                Kills.millisSince(start),
                isCauseOver ? "" : ", the time of its cause included"));
  }

  /// Has an agent that runs get there.
  ///
  /// @return the pod that does, where it takes one
  private Optional<ProbePod> cause(ServingKillPoint point, DoomedAgent doomed) {
    switch (point.cause()) {
      case START, NO_STATUS_FILE -> throw new IllegalArgumentException(point.name());
      case CONTAINER -> {
        return Optional.of(ProbePod.create(node.client(), nvidia.requiring("all")));
      }
      case SCRAPE ->
          kills.soon(
              "the end",
              () -> {
                promises.metric(METRIC);
                assertThat(doomed.process().isAlive()).isFalse();
              });
      case NO_DRIVER -> node.gpus().unloadDriver();
      case PAUSE -> agent.label(PAUSED, "paused-for-driver-upgrade");
      case OTHER_LIMITS -> {
        replicas++;
        share();
      }
    }
    return Optional.empty();
  }

  /// While the cause lasts, the next agent claims nothing that is not so.
  ///
  /// @return whether the cause was over before
  private boolean endCause(ServingKillPoint point) {
    return switch (point.cause()) {
      case START, CONTAINER, SCRAPE, NO_STATUS_FILE, OTHER_LIMITS -> true;
      case NO_DRIVER -> {
        kills.soon("no claim", () -> assertThat(promises.ready()).isEmpty());
        node.gpus().loadDriver();
        yield false;
      }
      case PAUSE -> {
        kills.soon(
            "no claim",
            () -> {
              assertThat(promises.ready()).isEmpty();
              assertThat(promises.isDriverReleased()).isTrue();
            });
        agent.label(PAUSED, "true");
        yield false;
      }
    };
  }

  private void awaitAllWell(GuardedProcess running) {
    NvidiaClass.awaitServed(running, 1);
    kills.soon(
        "all well",
        () -> {
          assertThat(node.devices().healthy(GpuNode.GPU)).isEqualTo(devices());
          assertThat(promises.ready()).isEqualTo(NodePromises.ALL);
          assertThat(promises.drafts()).isEmpty();
          assertThat(promises.isDriverReleased()).isFalse();
          assertThat(promises.metric(METRIC)).contains("1");
          assertThat(supervisor.daemons()).hasSize(1);
          assertThat(supervisor.limits(GpuNode.GPU))
              .contains("set_default_active_thread_percentage " + 100 / replicas);
        });
  }

  /// containerd takes a plugin that dies before it answers for one that has nothing to say, also
  /// where a pod requires it: that one container has no GPU, as docs/runtime-class.md says. The
  /// next ones have.
  private void assertGetsItsGpus(ServingKillPoint point, ProbePod customer) {
    try (var pod = new GpuPod(customer.await(ProbePod::isRunning));
        var next = nvidiaPod()) {
      assertThat(pod.gpus())
          .as("after %s", point)
          .isEqualTo(
              point == ServingKillPoint.CONTAINER_IS_DECIDED ? List.of() : nvidia.everyGpu());
      assertThat(next.gpus()).as("after %s", point).isEqualTo(nvidia.everyGpu());
    }
  }

  private int devices() {
    return GpuNode.GPUS * replicas;
  }

  private void share() {
    agent.configure(
        "version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: %d}]}}\n"
            .formatted(replicas));
  }
}
