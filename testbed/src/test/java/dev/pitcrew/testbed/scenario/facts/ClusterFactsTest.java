package dev.pitcrew.testbed.scenario.facts;

import static dev.pitcrew.testbed.scenario.facts.Objects.factsOf;
import static dev.pitcrew.testbed.scenario.facts.Objects.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterFactsTest {

  @Test
  void aRichClusterGivesTheRecordedFacts() {
    var facts = ClusterFacts.of(Objects.read(Objects.richCluster()), Recording.in("gpu-operator"));
    assertThat(FactsText.indented(facts)).isEqualTo(Objects.resource("rich-facts.json"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/spec/template/spec/containers/0/env",
        "/spec/template/spec/containers/0/volumeMounts",
        "/spec/template/spec/containers/0/args",
        "/spec/template/spec/containers",
        "/spec/template/spec/initContainers",
        "/spec/template/spec/tolerations",
        "/spec/template/spec/volumes"
      })
  void droppingOneEntryOfAWorkloadChangesTheFacts(String list) {
    var cluster = Objects.richCluster();
    var entries = (ArrayNode) full(cluster).at(list);
    entries.remove(0);
    assertThat(
            FactsText.indented(
                ClusterFacts.of(Objects.read(cluster), Recording.in("gpu-operator"))))
        .isNotEqualTo(Objects.resource("rich-facts.json"));
  }

  private static ObjectNode full(ObjectNode cluster) {
    for (var daemonSet : cluster.path("DaemonSet")) {
      if (MetadataFacts.name(daemonSet).equals("full")) {
        return (ObjectNode) daemonSet;
      }
    }
    throw new AssertionError("the rich cluster has no DaemonSet named full");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CONFIG_MAP            | {'name':'kube-root-ca.crt'}",
        "SERVICE_ACCOUNT       | {'name':'default'}",
        "PRIORITY_CLASS        | {'name':'system-node-critical'}",
        "CLUSTER_ROLE          | {'name':'system:node'}",
        "CLUSTER_ROLE          | {'name':'edit'}",
        "CLUSTER_ROLE_BINDING  | {'name':'x','labels':{'kubernetes.io/bootstrapping':'rbac-defaults'}}",
        "SECRET                | {'name':'x','labels':{'app.kubernetes.io/managed-by':'Helm'}}",
        "CLUSTER_POLICY        | {'name':'x','labels':{'parity/input':'true'}}"
      })
  void objectOfAnotherOwner_makesNoFacts(RecordedKind kind, String metadata) {
    assertThat(factsOf(kind, "{'metadata':" + metadata + "}")).isEmpty();
  }

  @Test
  void aPolicyMadeByTheChartIsStillRecorded() {
    var facts =
        factsOf(
            RecordedKind.CLUSTER_POLICY,
            "{'metadata':{'name':'p','labels':{'app.kubernetes.io/managed-by':'Helm'}}}");
    assertThat(facts).isEqualTo(json("{'ClusterPolicy/p':{'state':'<none>'}}"));
  }

  @Test
  void digestsAreNumberedPerWorkloadAcrossSteps() {
    var recording = Recording.in("gpu-operator");
    assertThat(digests(recording, "a")).isEqualTo("<digest #1>");
    assertThat(digests(recording.draft(), "z")).isEqualTo("<digest #2>");
    assertThat(digests(recording, "b")).isEqualTo("<digest #2>");
    assertThat(digests(recording, "a")).isEqualTo("<digest #1>");
  }

  private static String digests(Recording recording, String digest) {
    var object =
        json(
            "{'metadata':{'name':'d'},'spec':{'template':{'spec':{'containers':[{'name':'c',"
                + "'env':[{'name':'X_CONFIG_DIGEST','value':'%s'}]}]}}}}".formatted(digest));
    var objects = ClusterObjects.of(Map.of(RecordedKind.DAEMON_SET, List.of(object)));
    return ClusterFacts.of(objects, recording)
        .at("/DaemonSet~1d/pod/containers/c/env/X_CONFIG_DIGEST")
        .asText();
  }

  @ParameterizedTest
  @CsvSource({
    "upgrade-done,   false, false",
    "upgrade-done,   true,  true",
    "upgrade-failed, false, true"
  })
  void anIdleUpgradeStateCountsOnlyWhereItIsAwaited(String state, boolean keep, boolean isFact) {
    var node =
        json(
            "{'metadata':{'name':'n','labels':{'nvidia.com/gpu-driver-upgrade-state':'%s'}}}"
                .formatted(state));
    var recording = new Recording("gpu-operator", new Digests(), keep);
    var facts =
        ClusterFacts.of(ClusterObjects.of(Map.of(RecordedKind.NODE, List.of(node))), recording);
    assertThat(facts.path("Node/n").has("labels")).isEqualTo(isFact);
  }

  @Test
  void aDriversRandomNameBecomesStableEverywhere() {
    var facts =
        factsOf(
            RecordedKind.DAEMON_SET,
            "{'metadata':{'name':'driver-abc','labels':{'app':'driver-abc'},"
                + "'ownerReferences':[{'kind':'NVIDIADriver','name':'pool'}]},"
                + "'spec':{'selector':{'app':'driver-abc'}}}");
    assertThat(facts)
        .isEqualTo(
            json(
                "{'DaemonSet/driver-<pool>':{'labels':{'app':'driver-<pool>'},"
                    + "'selector':{'app':'driver-<pool>'},'desiredNodes':0}}"));
  }

  @Test
  void daemonSetsThatWereNotCountedYetAreNoticed() {
    assertThat(objects(2, 1).isCounted()).isFalse();
    assertThat(objects(2, 2).isCounted()).isTrue();
  }

  private static ClusterObjects objects(int generation, int observed) {
    var daemonSet =
        json(
            "{'metadata':{'name':'d','generation':%d},'status':{'observedGeneration':%d}}"
                .formatted(generation, observed));
    return ClusterObjects.of(Map.of(RecordedKind.DAEMON_SET, List.of(daemonSet)));
  }
}
