package dev.pitcrew.core.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.requests.GpuDemand.Ask;
import dev.pitcrew.core.requests.Shortfall.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which requests no node can ever meet, and what is said of them.
class RequestChecksTest {
  private static final String H100 = "h100 nvidia.com/gpu=8";
  private static final String SMALL = "small nvidia.com/gpu=2";
  private static final String SHARED = "shared nvidia.com/gpu.shared=80";
  private static final String MIG = "mig nvidia.com/mig-1g.10gb=7 nvidia.com/mig-3g.40gb=1";
  private static final String PAST = "past nvidia.com/gpu=0";
  private static final String NEW = "new";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu=8                  | h100;small      | ''",
        "gpu=9                  | h100;small      | TOO_MANY has more than 8 (the largest is h100): ask for at most 8",
        "gpu=3                  | small           | TOO_MANY has more than 2 (the largest is small)",
        "gpus=1                 | h100            | UNKNOWN_RESOURCE if you mean nvidia.com/gpu, write that",
        "gpu=1                  | shared          | UNKNOWN_RESOURCE if you mean nvidia.com/gpu.shared",
        "gpu.shared=1           | h100            | UNKNOWN_RESOURCE if you mean nvidia.com/gpu,",
        "gpu=1                  | shared;past     | UNKNOWN_RESOURCE if you mean nvidia.com/gpu.shared",
        "mig-1g.5gb=1           | mig;h100        | UNKNOWN_RESOURCE mig-1g.10gb or nvidia.com/mig-3g.40gb",
        "rdma_shared=1          | h100;mig        | UNKNOWN_RESOURCE advertised are nvidia.com/gpu (up to 8), nvidia.com/mig-1g.10gb (up to 7)",
        "gpu=1 mig-1g.10gb=1    | h100;mig        | NOT_TOGETHER asks for 1 nvidia.com/gpu and 1 nvidia.com/mig-1g.10gb",
        "mig-3g.40gb=1 mig-1g.10gb=2 | mig        | ''",
        "gpu=1                  | past            | NOT_OFFERED_NOW node past had it",
        "gpu=1                  | past;h100       | ''",
        "gpu=1                  | ''              | UNKNOWN_RESOURCE no node that is there now advertises a GPU: add a node",
        "gpu=1                  | new             | UNKNOWN_RESOURCE advertises a GPU; GPU nodes that advertise nothing yet: new",
        "gpu=9                  | h100;new        | TOO_MANY GPU nodes that advertise nothing yet: new",
      })
  void requestThatCannotBeMet_isReportedWithTheSupplyAndTheRemedy(
      String demand, String nodes, String expected) {
    Optional<Shortfall> found = RequestChecks.shortfall(demand(demand), supply(nodes));

    assertThat(found.map(shortfall -> shortfall.cause().name()).orElse(""))
        .isEqualTo(expected.split(" ", 2)[0]);
    found.ifPresent(shortfall ->
        assertThat(shortfall.note())
            .contains(expected.split(" ", 2)[1])
            .containsPattern("^(container main|the pod) asks for \\d"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu=9  | h100     | false",
        "gpu=9  | h100;new | true",
        "gpu=1  | ''       | true",
        "gpus=1 | h100;new | true",
        "gpu=1  | new;shared | false",
        "gpu=1  | past     | true",
      })
  void whereNodesAreBeingSetUpItMayPass(String demand, String nodes, boolean mayPass) {
    assertThat(RequestChecks.shortfall(demand(demand), supply(nodes)))
        .hasValueSatisfying(shortfall -> assertThat(shortfall.mayPass()).isEqualTo(mayPass));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu=8  | h100;small | kind=h100  | ''",
        "gpu=2  | h100;small | kind=small | ''",
        "gpu=8  | h100;small | kind=small | NOT_WHERE_IT_MAY_RUN (nodeSelector kind=small) none has more than 2 (the largest is small), while others have enough: correct nodeSelector or affinity of the pod",
        "gpu=8  | h100;small | kind=small | NOT_WHERE_IT_MAY_RUN or ask for at most 2",
        "gpu=1  | h100;mig   | kind=mig   | NOT_WHERE_IT_MAY_RUN none has any, while others have enough",
        "gpu=1  | h100       | kind=a100  | NOT_WHERE_IT_MAY_RUN none has any",
        "mig-3g.40gb=1 mig-1g.10gb=2 | h100;mig | kind=h100 | NOT_WHERE_IT_MAY_RUN asks for 2 nvidia.com/mig-1g.10gb and 1 nvidia.com/mig-3g.40gb",
        "gpu=8  | h100;small;new | kind=small | NOT_WHERE_IT_MAY_RUN GPU nodes that advertise nothing yet: new",
        "gpu=1  | h100;past  | kind=past  | NOT_OFFERED_NOW node past had it",
        "gpu=16 | h100;small | kind=small | TOO_MANY no node that is there now has more than 8",
      })
  void onlyTheNodesOnWhichAPodMayRunCount(
      String demand, String nodes, String selector, String expected) {
    var label = selector.split("=", 2);
    var placement = new Placement(Map.of(label[0], label[1]), List.of(), List.of());

    Optional<Shortfall> found =
        RequestChecks.shortfall(demand(demand), Choice.of(placement, supply(nodes), offers(nodes)));

    assertThat(found.map(shortfall -> shortfall.cause().name()).orElse(""))
        .isEqualTo(expected.split(" ", 2)[0]);
    found.ifPresent(shortfall -> assertThat(shortfall.note()).contains(expected.split(" ", 2)[1]));
  }

  @Test
  void theRemedyIsNotCutOffWhereAChoiceTakesManyWords() {
    var placement = new Placement(Map.of("kind", "x".repeat(2000)), List.of(), List.of());

    assertThat(
            RequestChecks.shortfall(
                demand("gpu=8"), Choice.of(placement, supply("h100"), offers("h100"))))
        .hasValueSatisfying(shortfall ->
            assertThat(shortfall.note())
                .contains("correct nodeSelector or affinity")
                .hasSizeLessThan(1000));
  }

  @Test
  void unhealthyGpus_areNoMistakeOfThePod() {
    var unhealthy =
        new NodeOffer(
            "a",
            true,
            sorted(Map.of("nvidia.com/gpu", 8L)),
            sorted(Map.of("nvidia.com/gpu", 7L)),
            Map.of(),
            Map.of(),
            List.of());

    assertThat(RequestChecks.shortfall(demand("gpu=8"), GpuSupply.of(List.of(unhealthy))))
        .hasValueSatisfying(shortfall -> {
          assertThat(shortfall.cause()).isEqualTo(Cause.NOT_OFFERED_NOW);
          assertThat(shortfall.reason()).isEqualTo("GPUsNotReady");
          assertThat(shortfall.note()).contains("node a has 8", "more than 7 that are healthy");
        });
    assertThat(RequestChecks.shortfall(demand("gpu=7"), GpuSupply.of(List.of(unhealthy))))
        .isEmpty();
  }

  @Test
  void aContainerGetsOneShareOfMps() {
    var node =
        new NodeOffer(
            "a",
            true,
            sorted(Map.of("nvidia.com/gpu", 80L)),
            sorted(Map.of("nvidia.com/gpu", 80L)),
            Map.of("nvidia.com/gpu", "mps"),
            Map.of(),
            List.of());
    var supply = GpuSupply.of(List.of(node));

    assertThat(RequestChecks.shortfall(demand("gpu=2"), supply))
        .hasValueSatisfying(shortfall -> assertThat(shortfall.note()).contains("ask for 1"));
    assertThat(RequestChecks.shortfall(demand("gpu=1"), supply)).isEmpty();
    assertThat(RequestChecks.shortfall(demand("gpu=2"), GpuSupply.of(List.of(node, offer(H100)))))
        .as("another node gives whole GPUs")
        .isEmpty();
  }

  @Test
  void aPodThatAsksForNoGpuLacksNone() {
    assertThat(RequestChecks.shortfall(demand(""), supply(""))).isEmpty();
  }

  private static GpuDemand demand(String words) {
    var asks = new TreeMap<String, Ask>();
    for (String word : words.isEmpty() ? new String[0] : words.split(" ", -1)) {
      var parts = word.split("=", 2);
      asks.put("nvidia.com/" + parts[0], new Ask(Long.parseLong(parts[1]), List.of("main")));
    }
    return new GpuDemand(asks);
  }

  private static GpuSupply supply(String nodes) {
    return GpuSupply.of(offers(nodes));
  }

  private static List<NodeOffer> offers(String nodes) {
    var offers = new ArrayList<NodeOffer>();
    for (String known : List.of(H100, SMALL, SHARED, MIG, PAST, NEW)) {
      if (List.of(nodes.split(";", -1)).contains(known.split(" ", 2)[0])) {
        offers.add(offer(known));
      }
    }
    return offers;
  }

  private static NodeOffer offer(String words) {
    var parts = List.of(words.split(" ", -1));
    var amounts = new TreeMap<String, Long>();
    parts.stream()
        .skip(1)
        .map(part -> part.split("=", 2))
        .forEach(part -> amounts.put(part[0], Long.valueOf(part[1])));
    String name = parts.getFirst();
    return new NodeOffer(name, true, amounts, amounts, Map.of(), Map.of("kind", name), List.of());
  }

  private static SortedMap<String, Long> sorted(Map<String, Long> amounts) {
    return new TreeMap<>(amounts);
  }
}
