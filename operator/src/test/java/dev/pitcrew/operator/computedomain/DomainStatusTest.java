package dev.pitcrew.operator.computedomain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.computedomain.ComputeDomainClique;
import dev.pitcrew.api.computedomain.ComputeDomainStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DomainStatusTest {
  private static final DaemonPod NO_FABRIC = new DaemonPod("n3", "10.0.0.3", Optional.of(""), true);

  /// An entry is NODE=STATUS, the pods are those that are not ready.
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "0, -,                     -,  Ready",
        "1, -,                     -,  NotReady",
        "1, n1=Ready,              -,  Ready",
        "2, n1=Ready,              -,  NotReady",
        "2, n1=Ready n2=NotReady,  -,  NotReady",
        "2, n1=Ready n2=Ready,     -,  Ready",
        "1, n1=Ready n2=NotReady,  -,  NotReady",
        "1, n1=Ready n2=Ready,     -,  Ready",
        "2, n1=Ready n2=Ready,     n2, NotReady",
        "0, n1=NotReady,           -,  NotReady",
      })
  void readyIsADomainWithEnoughNodesAllOfWhichAre(
      int numNodes, String entries, String lost, String status) {
    List<DaemonPod> pods =
        lost == null
            ? List.of()
            : List.of(new DaemonPod(lost, "10.0.0.2", Optional.of("c.1"), false));

    assertThat(DomainStatus.of(Domains.of(numNodes), cliques(entries), pods).status())
        .isEqualTo(status);
  }

  @Test
  void nodesAreSortedByNameAndThoseWithoutAFabricComeFromTheirPods() {
    var unscheduled = new DaemonPod("", "", Optional.of(""), false);
    var silent = new DaemonPod("n4", "10.0.0.4", Optional.empty(), true);
    var status =
        DomainStatus.of(
            Domains.of(2),
            cliques("n2=Ready n1=NotReady"),
            List.of(NO_FABRIC, unscheduled, silent));

    assertThat(ApiJson.write(status.nodes()))
        .isEqualTo(
            ApiJson.write(
                json(
                    """
                    - {name: n1, ipAddress: 10.1.0.1, cliqueID: c.1, index: 1, status: NotReady}
                    - {name: n2, ipAddress: 10.1.0.1, cliqueID: c.1, index: 0, status: Ready}
                    - {name: n3, ipAddress: 10.0.0.3, cliqueID: '', index: -1, status: Ready}
                    """)));
  }

  /// The definition refuses a list that has a name twice.
  @Test
  void aNodeInTwoCliquesIsInTheOneThatItsPodNames() {
    var cliques = List.of(clique("c.1", "n1=NotReady"), clique("c.2", "n1=Ready"));
    var pods = List.of(new DaemonPod("n1", "10.0.0.1", Optional.of("c.2"), true));

    assertThat(DomainStatus.of(Domains.of(1), cliques, pods).nodes())
        .extracting("cliqueID")
        .containsExactly("c.2");
    assertThat(DomainStatus.of(Domains.of(1), cliques.reversed(), pods).nodes())
        .extracting("cliqueID")
        .containsExactly("c.2");
  }

  @Test
  void whatAStatusSaysInAnotherOrderIsNotWrittenAgain() {
    var status = DomainStatus.of(Domains.of(2), cliques("n1=Ready n2=Ready"), List.of());
    var live =
        """
        status: Ready
        nodes:
        - {name: n2, ipAddress: 10.1.0.1, cliqueID: c.1, index: 1, status: Ready}
        - {name: n1, ipAddress: 10.1.0.1, cliqueID: c.1, index: 0, status: Ready}
        """;

    assertThat(status.isIn(ApiJson.read(json(live), ComputeDomainStatus.class))).isTrue();
    assertThat(
            status.isIn(
                ApiJson.read(
                    json(live.replace("10.1.0.1", "10.1.0.2")), ComputeDomainStatus.class)))
        .isFalse();
    assertThat(status.isIn(ComputeDomainStatus.ABSENT)).isFalse();
  }

  @Test
  void domainsWithoutAStatusAreNotCounted() {
    assertThat(DomainStatus.counts(Stream.of("Ready", "NotReady", "", "Ready")))
        .isEqualTo(Map.of("Ready", 2L, "NotReady", 1L));
    assertThat(DomainStatus.counts(Stream.of())).isEqualTo(Map.of("Ready", 0L, "NotReady", 0L));
  }

  @Test
  void entriesWithoutAPodOnTheirNodeAreStale() {
    var clique =
        json(
            """
            daemons:
            - {nodeName: n1, ipAddress: a, cliqueID: c, index: 0, status: Ready, later: 1}
            - {nodeName: n2, ipAddress: b, cliqueID: c, index: 1, status: Ready}
            """);
    var one = List.of(new DaemonPod("n1", "a", Optional.of("c"), false));
    var two = List.of(one.getFirst(), new DaemonPod("n2", "b", Optional.of("c"), true));

    assertThat(StaleDaemons.without(clique, one))
        .hasValue(
            json("[{nodeName: n1, ipAddress: a, cliqueID: c, index: 0, status: Ready, later: 1}]")
                .deepCopy());
    assertThat(StaleDaemons.without(clique, two)).isEmpty();
    assertThat(StaleDaemons.without(json("{}"), List.of())).isEmpty();
  }

  private static List<ComputeDomainClique> cliques(String entries) {
    return entries == null ? List.of() : List.of(clique("c.1", entries));
  }

  private static ComputeDomainClique clique(String id, String entries) {
    var yaml = new StringBuilder("daemons:\n");
    int index = 0;
    for (String entry : entries.split(" ", -1)) {
      var parts = entry.split("=", -1);
      yaml.append(
          "- {nodeName: %s, ipAddress: 10.1.0.1, cliqueID: %s, index: %d, status: %s}\n"
              .formatted(parts[0], id, index++, parts[1]));
    }
    return ApiJson.read(json(yaml.toString()), ComputeDomainClique.class);
  }

  private static JsonNode json(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, JsonNode.class);
  }
}
