package dev.pitcrew.core.names;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuResourcesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.10gb",
        "nvidia.com/mig-1g.10gb.me.shared",
        "nvidia.com/pgpu",
        "nvidia.com/vgpu",
        "nvidia.com/GRID_T4-4Q",
        "nvidia.com/GA102GL_A10"
      })
  void resourcesOfNvidiasDevicePlugins_areGpus(String resource) {
    assertThat(GpuResources.isGpu(resource)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/mlnx_sriov_rdma",
        "nvidia.com/rdma_shared_device_a",
        "nvidia.com/hostdev",
        "rdma/hca_shared_devices_a",
        "example.com/gpu",
        "cpu"
      })
  void networkCardsAndWhatOthersOfferAreNone(String resource) {
    assertThat(GpuResources.isGpu(resource)).isFalse();
  }
}
