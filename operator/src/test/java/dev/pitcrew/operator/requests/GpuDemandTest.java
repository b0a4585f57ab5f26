package dev.pitcrew.operator.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.requests.GpuDemand;
import dev.pitcrew.core.requests.GpuDemand.Ask;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a pod asks for, and what is kept of it.
class GpuDemandTest {
  private static final String UNSCHEDULABLE =
      "{conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: long}]}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}]                     | 2 | a",
        "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}, {name: b, resources: {limits: {nvidia.com/gpu: 1}}}] | 3 | a b",
        "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}], initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: 4}}}] | 4 | a i",
        "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}], initContainers: [{name: s, restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 1}}}, {name: i, resources: {limits: {nvidia.com/gpu: 1}}}] | 3 | a s i",
        "containers: [{name: a}], initContainers: [{name: s, restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 1}}}, {name: i, resources: {limits: {nvidia.com/gpu: 4}}}] | 5 | s i",
      })
  void containersRunTogetherAndInitContainersOneByOne(String spec, long count, String containers) {
    var expected = new Ask(count, List.of(containers.split(" ", -1)));
    var pod = pod(spec, "{}");

    assertThat(RequestReading.demand(pod.getSpec()).asks())
        .containsOnlyKeys("nvidia.com/gpu")
        .containsValue(expected);
    assertThat(RequestReading.demand(WaitingPods.slim(pod).getSpec()))
        .isEqualTo(RequestReading.demand(pod.getSpec()));
  }

  @Test
  void otherResourcesAndNoneAtAllAreNoDemand() {
    assertThat(
            demand("containers: [{name: a, resources: {limits: {cpu: 1, amd.com/gpu: 1}}}]")
                .isEmpty())
        .isTrue();
    assertThat(
            demand("containers: [{name: a, resources: {limits: {nvidia.com/gpu: 0}}}]").isEmpty())
        .isTrue();
    assertThat(demand("containers: [{name: a}]").isEmpty()).isTrue();
  }

  @Test
  void onlyPodsForWhichTheSchedulerHasFoundNoNodeAreKept() {
    var gpu = "containers: [{name: a, image: i, resources: {limits: {nvidia.com/gpu: 2, cpu: 1}}}]";
    var gated = "{conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}";

    assertThat(isKept(pod(gpu, UNSCHEDULABLE))).isTrue();
    assertThat(isKept(pod(gpu, gated))).isFalse();
    assertThat(isKept(pod(gpu, "{}"))).isFalse();
    assertThat(isKept(pod("containers: [{name: a}]", UNSCHEDULABLE))).isFalse();
    assertThat(Serialization.asJson(WaitingPods.slim(pod(gpu, UNSCHEDULABLE))))
        .doesNotContain("long", "cpu", "image", "kept-out");
  }

  private static boolean isKept(Pod pod) {
    return WaitingPods.waits(WaitingPods.slim(pod));
  }

  private static GpuDemand demand(String spec) {
    return RequestReading.demand(pod(spec, "{}").getSpec());
  }

  private static Pod pod(String spec, String status) {
    return Serialization.unmarshal(
        """
        metadata: {name: p, namespace: n, uid: u, labels: {l: kept-out}}
        spec: {%s}
        status: %s
        """
            .formatted(spec, status),
        Pod.class);
  }
}
