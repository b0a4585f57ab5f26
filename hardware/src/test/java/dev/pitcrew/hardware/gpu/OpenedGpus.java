package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.time.Duration;

/// Reads simulated nodes as the agent does.
final class OpenedGpus {
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private OpenedGpus() {}

  static Gpus of(SimulatedNode node) {
    return of(node, DEADLINE);
  }

  static Gpus of(SimulatedNode node, Duration deadline) {
    return value(Gpus.open(settings(node, deadline)));
  }

  static GpuSettings settings(SimulatedNode node, Duration deadline) {
    return new GpuSettings(
        new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()), deadline);
  }

  static Inventory inventory(SimulatedNode node) {
    try (var gpus = of(node)) {
      return value(gpus.inventory());
    }
  }

  static <T> T value(Answer<T> answer) {
    assertThat(answer.reason()).isEmpty();
    return answer.toOptional().orElseThrow();
  }
}
