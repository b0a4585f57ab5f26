package dev.pitcrew.agent.labels.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.status.plan.LiveNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelApplyTest {
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String PCI = "feature.node.kubernetes.io/pci-10de.present";
  private static final Map<String, String> WANTED = Map.of(COUNT, "8", PCI, "true");

  @Test
  void nodeWithoutLabelsGetsThemAll() {
    assertThat(applied(new LiveNode(), WANTED)).contains(WANTED);
  }

  @Test
  void restartWritesNothing() {
    var node = new LiveNode().applied("pitcrew-agent", WANTED);

    assertThat(applied(node, WANTED)).isEmpty();
  }

  @Test
  void staleLabelsGoAndOthersAreNotTouched() {
    var node =
        new LiveNode()
            .updated("kubelet", Map.of("kubernetes.io/os", "linux"))
            .applied(
                "pitcrew-agent", Map.of(COUNT, "8", PCI, "true", "nvidia.com/gpu.clique", "a"));

    assertThat(applied(node, WANTED)).contains(WANTED);
  }

  @Test
  void valueThatAnotherWriterChanged_isRestored() {
    var node =
        new LiveNode().applied("pitcrew-agent", WANTED).updated("kubectl-edit", Map.of(COUNT, "9"));

    assertThat(applied(node, WANTED)).contains(Map.of(COUNT, "8", PCI, "true"));
  }

  @Test
  void gpuLabelsOfAnEarlierDiscoveryAreTakenOver() {
    var node = new LiveNode().updated("nfd-master", Map.of(COUNT, "8"));

    assertThat(applied(node, Map.of(COUNT, "8"))).contains(Map.of(COUNT, "8"));
  }

  @Test
  void featureLabelsOfAnotherOwner_keepTheirOwner() {
    var node = new LiveNode().updated("nfd-master", Map.of(PCI, "false"));

    assertThat(applied(node, WANTED)).contains(Map.of(COUNT, "8"));
    assertThat(LabelApply.of(node.json(), Map.of(PCI, "true"), DiscoveryMode.NATIVE).body())
        .isPresent();
  }

  @Test
  void featureLabelsThatNfdListsAreNotWritten() {
    var node = new LiveNode().listedByNfd(List.of("pci-10de.present"));

    assertThat(applied(node, WANTED)).contains(Map.of(COUNT, "8"));
  }

  @Test
  void labelThatOnlyWeOwnIsNotDroppedAlthoughNfdListsIt() {
    var node =
        new LiveNode().applied("pitcrew-agent", WANTED).listedByNfd(List.of("pci-10de.present"));

    assertThat(applied(node, WANTED)).isEmpty();
    assertThat(LabelApply.of(node.json(), WANTED, DiscoveryMode.NFD).body()).isEmpty();
  }

  @Test
  void labelThatNfdTookOverIsLeftToIt() {
    var node =
        new LiveNode()
            .applied("pitcrew-agent", WANTED)
            .updated("nfd-master", Map.of(PCI, "true"))
            .listedByNfd(List.of("pci-10de.present"));

    assertThat(applied(node, WANTED)).contains(Map.of(COUNT, "8"));
  }

  @Test
  void withNfdInChargeNoFeatureLabelIsWritten() {
    assertThat(LabelApply.of(new LiveNode().json(), WANTED, DiscoveryMode.NFD).body())
        .map(body -> body.path("metadata").path("labels").properties().size())
        .contains(1);
  }

  @Test
  void clearingRemovesAllOfOursOnce() {
    var node = new LiveNode().applied("pitcrew-agent", WANTED);

    assertThat(applied(node, Map.of())).contains(Map.of());
    assertThat(applied(new LiveNode(), Map.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-a",
        "a b",
        "ä",
        "a\n",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void illegalValueIsLeftOutAndNamed(String value) {
    var apply =
        LabelApply.of(
            new LiveNode().json(),
            Map.of(COUNT, "8", "nvidia.com/gpu.product", value),
            DiscoveryMode.AUTO);

    assertThat(apply.body().orElseThrow().path("metadata").path("labels").properties()).hasSize(1);
    assertThat(apply.problems()).singleElement().asString().contains("nvidia.com/gpu.product");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kubernetes.io/os",
        "nvidia.com/gpu.deploy.driver",
        "plain",
        "nvidia.com/",
        "nvidia.com/a/b"
      })
  void keysThatAreNotOursAreNeverWritten(String key) {
    var apply = LabelApply.of(new LiveNode().json(), Map.of(key, "x"), DiscoveryMode.NATIVE);

    assertThat(apply.body()).isEmpty();
    assertThat(apply.problems()).singleElement().asString().contains(key);
  }

  @Test
  void labelsOutliveARestartAndADriverThatIsGone() {
    var node = new LiveNode().applied("pitcrew-agent", WANTED).json();

    assertThat(WantedLabels.of(node, Map.of(PCI, "true"), Optional.empty(), true))
        .isEqualTo(new TreeMap<>(WANTED));
    assertThat(WantedLabels.of(node, Map.of(), Optional.empty(), false)).isEmpty();
    assertThat(WantedLabels.of(node, Map.of(), Optional.of(Map.of(COUNT, "4")), true))
        .isEqualTo(Map.of(COUNT, "4"));
  }

  @Test
  void timestampChangesOnlyWithAnotherLabel() {
    String stamp = "nvidia.com/gfd.timestamp";
    var node = new LiveNode().applied("pitcrew-agent", Map.of(stamp, "1", COUNT, "8")).json();

    assertThat(wanted(node, Map.of(stamp, "2", COUNT, "8"))).containsEntry(stamp, "1");
    assertThat(wanted(node, Map.of(stamp, "2", COUNT, "4"))).containsEntry(stamp, "2");
    assertThat(wanted(node, Map.of(stamp, "2"))).containsEntry(stamp, "2");
  }

  private static Map<String, String> wanted(JsonNode node, Map<String, String> gpuLabels) {
    return WantedLabels.of(node, Map.of(), Optional.of(gpuLabels), true);
  }

  private static Optional<Map<String, String>> applied(LiveNode node, Map<String, String> wanted) {
    return LabelApply.of(node.json(), wanted, DiscoveryMode.AUTO)
        .body()
        .map(body -> {
          var labels = new TreeMap<String, String>();
          body.path("metadata")
              .path("labels")
              .properties()
              .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
          return labels;
        });
  }
}
