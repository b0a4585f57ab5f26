package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class KubeletCheckpointTest {
  @Test
  void aPodsDevicesAreThoseOfAllItsContainersAndNumaNodes() throws IOException {
    var checkpoint =
        KubeletCheckpoint.in(
            """
            {"Data": {"PodDeviceEntries": [
              {"PodUID": "a", "ContainerName": "x", "ResourceName": "nvidia.com/gpu",
               "DeviceIDs": {"0": ["GPU-1"], "-1": ["GPU-3"]}, "AllocResp": ""},
              {"PodUID": "a", "ContainerName": "y", "ResourceName": "nvidia.com/gpu",
               "DeviceIDs": {"1": ["GPU-2"]}, "AllocResp": ""},
              {"PodUID": "b", "ContainerName": "x", "ResourceName": "nvidia.com/gpu",
               "DeviceIDs": {"0": ["GPU-0"]}, "AllocResp": ""}],
              "RegisteredDevices": {}}, "Checksum": 1}
            """);

    assertThat(checkpoint.devices("a")).containsExactly("GPU-1", "GPU-2", "GPU-3");
    assertThat(checkpoint.devices("c")).isEmpty();
  }
}
