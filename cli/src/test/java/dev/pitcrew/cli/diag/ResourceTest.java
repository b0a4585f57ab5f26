package dev.pitcrew.cli.diag;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.transport.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which objects a bundle has.
class ResourceTest {
  private static final Selection SELECTION = new Selection(Set.of("a"), List.of());

  @Test
  void secretsAreNoneOfThem() {
    assertThat(Resource.all(SELECTION, "n"))
        .allMatch(it -> !it.path().contains("secret") && !it.kind().contains("Secret"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Node          | metadata: {name: a}                                                          | true",
        "Node          | metadata: {name: b}                                                          | false",
        "GPUNode       | metadata: {name: b}                                                          | false",
        "ResourceSlice | 'spec: {driver: gpu.nvidia.com, nodeName: a}'                                | true",
        "ResourceSlice | 'spec: {driver: gpu.nvidia.com, nodeName: b}'                                | false",
        "ResourceSlice | 'spec: {driver: gpu.nvidia.com, allNodes: true}'                             | true",
        "ResourceSlice | 'spec: {driver: example.com, nodeName: a}'                                   | false",
        "ResourceClaim | 'spec: {devices: {requests: [{exactly: {deviceClassName: gpu.nvidia.com}}]}}' | true",
        "ResourceClaim | 'spec: {devices: {requests: [{firstAvailable: [{deviceClassName: mig.nvidia.com}]}]}}' | true",
        "ResourceClaim | 'status: {allocation: {devices: {results: [{driver: gpu.nvidia.com}]}}}'     | true",
        "ResourceClaim | 'spec: {devices: {requests: [{exactly: {deviceClassName: nic.example.com}}]}}' | false",
        "Event         | 'involvedObject: {kind: GPUNode, name: a}'                                   | true",
        "Event         | 'involvedObject: {kind: Node, name: b}'                                      | false",
        "Event         | 'involvedObject: {kind: ClusterPolicy, name: b}'                             | true",
        "Event         | 'involvedObject: {kind: Job, name: a}'                                       | false",
      })
  void objectsOfOthersAreLeftOut(String kind, String object, boolean isKept) {
    Resource first =
        Resource.all(SELECTION, "n").stream()
            .filter(it -> it.kind().equals(kind))
            .findFirst()
            .orElseThrow();

    assertThat(first.kept().test(Objects.json(object))).isEqualTo(isKept);
  }

  @ParameterizedTest
  @CsvSource({
    "2, '', 'late later'",
    "9, '', 'never early late later'",
    "9, 2026-11-30T11:00:00Z, 'late later'"
  })
  void newestEventsStay_oldestFirst(int most, String since, String names) {
    List<Json> events =
        Stream.of(
                "lastTimestamp: '2026-11-30T12:00:00Z', series: {lastObservedTime: '2026-11-30T13:00:00.000000Z'}, reason: later",
                "lastTimestamp: '2026-11-30T10:00:00Z', reason: early",
                "lastTimestamp: {}, eventTime: '2026-11-30T11:30:00.5Z', reason: late",
                "lastTimestamp: soon, reason: never")
            .map(it -> Objects.json(it.replaceAll(", (?=[a-z])(?![^{]*})", "\n")))
            .toList();

    assertThat(
            Resource.newest(
                events, most, Optional.of(since).filter(it -> !it.isEmpty()).map(Instant::parse)))
        .extracting(it -> it.at("reason").text())
        .containsExactly(names.split(" ", -1));
  }
}
