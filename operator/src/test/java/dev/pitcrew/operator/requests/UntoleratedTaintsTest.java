package dev.pitcrew.operator.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.requests.Choice;
import dev.pitcrew.core.requests.GpuSupply;
import dev.pitcrew.core.requests.NodeOffer;
import dev.pitcrew.core.requests.RequestChecks;
import dev.pitcrew.core.requests.Shortfall;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is said of a pod that tolerates the taints of no node that has what it asks for.
class UntoleratedTaintsTest {
  private static final String REASON = "GPUTaintNotTolerated";
  private static final String OF_GPUS = "{key: nvidia.com/gpu, value: present, effect: NoSchedule}";
  private static final String OF_TEAM = "{key: team, value: a, effect: NoExecute}";

  private final List<NodeOffer> nodes = new ArrayList<>();

  @Test
  void theTaintIsNamedWithItsNodeAndTheToleration() {
    node("a", 8, OF_GPUS);
    node("b", 8, OF_GPUS);
    node("small", 2);

    assertThat(shortfall("gpu: 4", ""))
        .hasValueSatisfying(it -> {
          assertThat(it.reason()).isEqualTo(REASON);
          assertThat(it.resource()).isEqualTo("nvidia.com/gpu");
          assertThat(it.mayPass()).isFalse();
          assertThat(it.note())
              .isEqualTo(
                  "the pod asks for 4 nvidia.com/gpu, and it tolerates the taints of none of the 2 nodes that have as many, such as a (nvidia.com/gpu=present:NoSchedule):"
                      + " if it may run there, add to spec.tolerations of the pod, or of the template in the Deployment or Job that makes it,"
                      + " {key: nvidia.com/gpu, operator: Equal, value: present, effect: NoSchedule}");
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{operator: Exists}",
        "{key: nvidia.com/gpu, operator: Exists}",
        "{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}",
        "{key: nvidia.com/gpu, operator: Equal, value: present}",
        "{key: nvidia.com/gpu, value: present, effect: NoSchedule}",
      })
  void podThatToleratesTheTaint_getsNoEvent(String toleration) {
    node("a", 8, OF_GPUS);

    assertThat(shortfall("gpu: 8", toleration)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{key: nvidia.com/gpu, operator: Exists, effect: NoExecute}",
        "{key: nvidia.com/gpu, operator: Equal, value: absent}",
        "{key: team, operator: Exists}",
      })
  void anotherTolerationIsNone(String toleration) {
    node("a", 8, OF_GPUS);

    assertThat(shortfall("gpu: 8", toleration).map(Shortfall::reason)).contains(REASON);
  }

  @Test
  void aNodeThatIsOpenIsEnough() {
    node("a", 8, OF_GPUS);
    node("open", 8);

    assertThat(shortfall("gpu: 8", "")).isEmpty();
  }

  @Test
  void nodeWithTheFewestUntoleratedTaints_isNamed() {
    node("a", 8, OF_GPUS, OF_TEAM);
    node("b", 8, OF_TEAM);

    assertThat(shortfall("gpu: 8", ""))
        .hasValueSatisfying(it ->
            assertThat(it.note())
                .contains(
                    "such as b (team=a:NoExecute)",
                    "{key: team, operator: Equal, value: a, effect: NoExecute}")
                .doesNotContain("key: nvidia.com/gpu"));
  }

  @Test
  void onlyWhatIsLackingIsToBeAdded() {
    node("a", 8, OF_GPUS, "{key: quiet, effect: NoSchedule}");

    assertThat(shortfall("gpu: 8", "{key: nvidia.com/gpu, operator: Exists}"))
        .hasValueSatisfying(it ->
            assertThat(it.note())
                .contains("such as a (quiet:NoSchedule)")
                .endsWith(" {key: quiet, operator: Exists, effect: NoSchedule}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}",
        "{key: node.kubernetes.io/not-ready, effect: NoExecute}",
        "{key: node.cloudprovider.kubernetes.io/uninitialized, value: 'true', effect: NoSchedule}",
        "{key: pitcrew.dev/gpu-not-ready, effect: NoSchedule}",
        "{key: node.cilium.io/agent-not-ready, effect: NoExecute}",
        "{key: nvidia.com/gpu, value: present, effect: PreferNoSchedule}",
      })
  void taintOfANodeState_isLeftToTheScheduler(String taint) {
    node("a", 8, taint);

    assertThat(shortfall("gpu: 8", "")).isEmpty();
  }

  @Test
  void whereAnOpenNodeIsBeingSetUpItMayPass() {
    node("a", 8, OF_GPUS);
    node("new", 0);

    assertThat(shortfall("gpu: 8", ""))
        .hasValueSatisfying(it -> {
          assertThat(it.reason()).isEqualTo(REASON);
          assertThat(it.mayPass()).isTrue();
        });
  }

  @Test
  void morePressingMistakesComeFirst() {
    node("a", 8, OF_GPUS);

    assertThat(shortfall("gpu: 9", "").map(Shortfall::cause)).contains(Shortfall.Cause.TOO_MANY);
  }

  private void node(String name, int gpus, String... taints) {
    String status =
        gpus == 0
            ? "{}"
            : "{capacity: {nvidia.com/gpu: %d}, allocatable: {nvidia.com/gpu: %d}}"
                .formatted(gpus, gpus);
    nodes.add(
        RequestReading.offer(
            Serialization.unmarshal(
                """
                metadata: {name: %s, labels: {nvidia.com/gpu.present: "true"}}
                spec: {taints: [%s]}
                status: %s
                """
                    .formatted(name, String.join(", ", taints), status),
                Node.class)));
  }

  private Optional<Shortfall> shortfall(String limits, String toleration) {
    var pod =
        Serialization.unmarshal(
            """
            containers: [{name: main, resources: {limits: {nvidia.com/%s}}}]
            tolerations: [%s]
            """
                .formatted(limits, toleration),
            PodSpec.class);
    return RequestChecks.shortfall(
        RequestReading.demand(pod),
        Choice.of(RequestReading.placement(pod), GpuSupply.of(nodes), nodes));
  }
}
