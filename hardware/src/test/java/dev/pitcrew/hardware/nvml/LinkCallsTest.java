package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.NvmlPath;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkCallsTest {
  @TempDir Path folder;

  @Test
  void linksOfAServerLeadToItsSwitches() {
    try (var nvml = open("a100-40g")) {
      var gpu = nvml.driver().deviceAt(0).toOptional().orElseThrow();

      assertThat(nvml.links().isActive(gpu, 0)).isEqualTo(Answer.of(true));
      assertThat(nvml.links().remoteAddress(gpu, 0)).isEqualTo(Answer.of("0000:c4:00.0"));
      assertThat(nvml.links().isActive(gpu, 12).isFailedWith(NvmlError.INVALID_ARGUMENT)).isTrue();
    }
  }

  @Test
  void aCardWithoutLinksHasNone() {
    try (var nvml = open("t4")) {
      var gpu = nvml.driver().deviceAt(0).toOptional().orElseThrow();

      assertThat(nvml.links().isActive(gpu, 0))
          .isEqualTo(new Answer.NotSupported<>("nvmlDeviceGetNvLinkState"));
    }
  }

  private NvmlLibrary open(String profile) {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of(profile));
    return NvmlLibrary.open(NvmlPath.in(new HostRoot(node.driverRoot())))
        .toOptional()
        .orElseThrow();
  }
}
