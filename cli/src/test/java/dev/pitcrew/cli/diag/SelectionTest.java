package dev.pitcrew.cli.diag;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Of what a bundle has details.
class SelectionTest {
  @Test
  void eachReasonIsAmongTheNodes_ofACluster_ofAnySize() {
    List<GpuNode> nodes =
        IntStream.range(0, 5000)
            .mapToObj(it ->
                "node-%04d 1%s"
                    .formatted(
                        it, it < 100 ? " NotReady=Often" : it == 4000 ? " NotReady=Rare" : ""))
            .map(Objects::gpuNode)
            .toList();

    Selection selection = Selection.of(nodes, List.of());

    assertThat(selection.nodes())
        .hasSize(Selection.MOST_NOT_READY + Selection.MOST_READY)
        .startsWith("node-0000", "node-4000", "node-0001")
        .endsWith("node-0100", "node-0101", "node-0102");
    assertThat(selection.leftOut())
        .hasSize(2)
        .anyMatch(it -> it.startsWith("details of 81 of 101 nodes that are not ready"))
        .anyMatch(it -> it.startsWith("details of 4896 of 4899 nodes that are ready"));
  }

  @Test
  void smallClusterIsCollectedAsAWhole() {
    Selection selection =
        Selection.of(Stream.of("a 1", "b 1 NotReady=X").map(Objects::gpuNode).toList(), List.of());

    assertThat(selection).isEqualTo(new Selection(Set.of("a", "b"), List.of()));
  }

  @Test
  void nodesThatTheUserNamesAreTheOnlyOnes() {
    assertThat(Selection.of(List.of(Objects.gpuNode("a 1")), List.of("b")).nodes())
        .containsExactly("b");
  }

  @ParameterizedTest
  @CsvSource({"DaemonSet,a,true", "DaemonSet,b,false", "ReplicaSet,b,true", "ReplicaSet,'',true"})
  void podsOfDaemonSetsAreThoseOfTheNodes(String owner, String node, boolean isKept) {
    Json pod =
        Objects.json(
            "metadata: {ownerReferences: [{kind: %s}]}\nspec: {nodeName: '%s'}"
                .formatted(owner, node));

    assertThat(new Selection(Set.of("a"), List.of()).hasPod(pod)).isEqualTo(isKept);
  }

  @Test
  void logsOfTheOperatorAndOfAgentsAreFirst_previousOnesLast() {
    List<Selection.Log> logs =
        Selection.logs(
            List.of(
                pod("driver", "nvidia-driver", "True", "state: {running: {a: b}}"),
                pod("broken", "dcgm", "False", "state: {running: {a: b}}"),
                pod("agent", "pitcrew-agent", "True", "state: {running: {a: b}}"),
                pod(
                    "operator",
                    "gpu-operator",
                    "True",
                    "state: {terminated: {a: b}}, lastState: {terminated: {a: b}}"),
                pod("new", "x", "False", "state: {waiting: {a: b}}")));

    assertThat(logs)
        .extracting(it -> it.pod() + (it.previous() ? " previous" : ""))
        .containsExactly("operator", "agent", "broken", "driver", "operator previous");
  }

  @Test
  void metricsAreReadByTheNamesOfPorts() {
    Json pod =
        Objects.json(
            """
            metadata: {namespace: n, name: p}
            spec:
              nodeName: a
              containers:
              - ports: [{name: metrics, containerPort: 8080}, {name: health, containerPort: 8081}]
            status: {phase: Running}
            """);

    assertThat(Selection.metrics(List.of(pod)))
        .containsExactly(new Selection.Metrics("n", "p", "a", 8080));
  }

  private static Json pod(String name, String app, String ready, String container) {
    return Objects.json(
        """
        metadata: {namespace: n, name: %s, labels: {app: %s}}
        spec: {nodeName: a}
        status:
          conditions: [{type: Ready, status: '%s'}]
          containerStatuses: [{name: main, %s}]
        """
            .formatted(name, app, ready, container));
  }
}
