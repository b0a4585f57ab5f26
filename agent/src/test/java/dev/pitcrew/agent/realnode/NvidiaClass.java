package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.node.ContainerHandler;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/// The runtime class `nvidia` of a node, whose pods ask for GPUs by a variable.
record NvidiaClass(GpuNode node) {
  static final String HANDLER = "nvidia";
  static final String VARIABLE = "NVIDIA_VISIBLE_DEVICES";
  private static final String REQUIRED = "required-plugins.noderesource.dev";
  private static final String SERVED = "asks the agent about each new container";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /// Adds it, as the container toolkit or the agent would; for all tests of the run.
  static NvidiaClass addedTo(GpuNode node) {
    new ContainerHandler(node.node(), HANDLER).addIfMissing();
    return of(node);
  }

  /// Of a node whose handler the agent adds.
  static NvidiaClass of(GpuNode node) {
    var handler = new RuntimeClassBuilder().withNewMetadata().withName(HANDLER).endMetadata();
    node.client().resource(handler.withHandler(HANDLER).build()).serverSideApply();
    return new NvidiaClass(node);
  }

  /// A pod for which it is as good to start without GPUs while there is no agent.
  ProbePodSpec asking(String devices) {
    return ProbePodSpec.on(node.node()).withRuntimeClass(HANDLER).withVariable(VARIABLE, devices);
  }

  /// A pod that starts only while there is an agent.
  ProbePodSpec requiring(String devices) {
    return asking(devices).withAnnotation(REQUIRED, "[\"pitcrew\"]");
  }

  /// The device files of all GPUs.
  List<String> everyGpu() {
    return node.devicesOf(
        String.join(",", IntStream.range(0, GpuNode.GPUS).mapToObj(String::valueOf).toList()));
  }

  /// Waits until containerd has come to an agent so many times.
  static void awaitServed(GuardedProcess agent, int times) {
    await(SERVED)
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(agent.logTail().split(SERVED, -1)).hasSizeGreaterThan(times));
  }
}
