package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.UpgradePolicySpec;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePodReadingTest {
  private final NodePodReading reading =
      NodePodReading.of(UpgradePolicySpec.ABSENT, _ -> false, _ -> Optional.empty());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "containers: [{resources: {limits: {nvidia.com/gpu: 1}}}] | true",
        "containers: [{resources: {requests: {nvidia.com/gpu.shared: 1}}}] | true",
        "initContainers: [{resources: {limits: {nvidia.com/mig-1g.10gb: 1}}}] | true",
        "containers: [{resources: {limits: {nvidia.com/gpu: 0}}}] | false",
        "containers: [{resources: {limits: {nvidia.com/mlnx_sriov_rdma: 1}}}] | false",
        "containers: [{}] | false"
      })
  void aPodHoldsAGpuIfItAsksForOne(String spec, boolean holds) {
    var pod = Serialization.unmarshal("metadata: {uid: u}\nspec: {" + spec + "}", Pod.class);

    assertThat(reading.read(SlimPods.workload(pod)).holdsGpu()).isEqualTo(holds);
  }
}
