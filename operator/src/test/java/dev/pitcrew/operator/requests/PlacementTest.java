package dev.pitcrew.operator.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.requests.NodeOffer;
import dev.pitcrew.core.requests.Placement;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On which nodes the scheduler would put a pod, by what the pod says.
class PlacementTest {
  private static final NodeOffer NODE =
      new NodeOffer(
          "node-a",
          true,
          new TreeMap<>(),
          new TreeMap<>(),
          Map.of(),
          Map.of("zone", "one", "memory", "81920", "present", ""),
          List.of());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                      | true",
        "{nodeSelector: {zone: one}}             | true",
        "{nodeSelector: {zone: two}}             | false",
        "{nodeSelector: {zone: one, other: x}}   | false",
        "{nodeSelector: {present: ''}}           | true",
      })
  void aNodeSelectorWantsAllItsLabels(String spec, boolean isAllowed) {
    assertThat(RequestReading.placement(spec(spec)).allows(NODE)).isEqualTo(isAllowed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[{matchExpressions: [{key: zone, operator: In, values: [one, two]}]}]      | true",
        "[{matchExpressions: [{key: zone, operator: In, values: [two]}]}]           | false",
        "[{matchExpressions: [{key: other, operator: In, values: [two]}]}]          | false",
        "[{matchExpressions: [{key: zone, operator: NotIn, values: [one]}]}]        | false",
        "[{matchExpressions: [{key: other, operator: NotIn, values: [one]}]}]       | true",
        "[{matchExpressions: [{key: present, operator: Exists}]}]                   | true",
        "[{matchExpressions: [{key: other, operator: Exists}]}]                     | false",
        "[{matchExpressions: [{key: other, operator: DoesNotExist}]}]               | true",
        "[{matchExpressions: [{key: zone, operator: DoesNotExist}]}]                | false",
        "[{matchExpressions: [{key: memory, operator: Gt, values: ['40960']}]}]     | true",
        "[{matchExpressions: [{key: memory, operator: Gt, values: ['81920']}]}]     | false",
        "[{matchExpressions: [{key: memory, operator: Lt, values: ['81921']}]}]     | true",
        "[{matchExpressions: [{key: zone, operator: Gt, values: ['1']}]}]           | false",
        "[{matchExpressions: [{key: other, operator: Lt, values: ['1']}]}]          | false",
        "[{matchFields: [{key: metadata.name, operator: In, values: [node-a]}]}]    | true",
        "[{matchFields: [{key: metadata.name, operator: In, values: [node-b]}]}]    | false",
        "[{matchFields: [{key: metadata.name, operator: NotIn, values: [node-a]}]}] | false",
        "[{matchExpressions: [{key: zone, operator: Exists}, {key: other, operator: Exists}]}]     | false",
        "[{matchExpressions: [{key: other, operator: Exists}]}, {matchExpressions: [{key: zone, operator: Exists}]}] | true",
        "[{matchExpressions: []}]                                                   | false",
        "[{matchExpressions: [{key: zone, operator: Newer, values: [two]}]}]        | true",
      })
  void affinity_needsOneTerm_andAllExpressionsOfIt(String terms, boolean isAllowed) {
    assertThat(RequestReading.placement(affine(terms)).allows(NODE)).isEqualTo(isAllowed);
  }

  @Test
  void aWishIsNoRequirement() {
    var spec =
        spec(
            "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: other, operator: Exists}]}}]}}}");

    assertThat(RequestReading.placement(spec).isAnywhere()).isTrue();
    assertThat(RequestReading.placement(spec).allows(NODE)).isTrue();
  }

  @Test
  void placementOfAWaitingPod_isKept_andDescribed() {
    var pod = new Pod();
    pod.setMetadata(new ObjectMeta());
    pod.setSpec(
        affine(
            "[{matchExpressions: [{key: zone, operator: In, values: [a, b]}, {key: other, operator: Exists}]}, {matchFields: [{key: metadata.name, operator: In, values: [c]}]}]"));
    pod.getSpec().setNodeSelector(Map.of("kind", "small"));

    Placement kept = RequestReading.placement(WaitingPods.slim(pod).getSpec());

    assertThat(kept).isEqualTo(RequestReading.placement(pod.getSpec()));
    assertThat(kept.words())
        .isEqualTo(
            "nodeSelector kind=small, affinity zone In [a, b] and other Exists or metadata.name In [c]");
  }

  private static PodSpec affine(String terms) {
    return spec(
        "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: %s}}}}"
            .formatted(terms));
  }

  private static PodSpec spec(String yaml) {
    return Serialization.unmarshal("spec: " + yaml, Pod.class).getSpec();
  }
}
