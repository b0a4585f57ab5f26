package dev.pitcrew.agent.status.plan;

import static dev.pitcrew.agent.status.plan.ApiCalls.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.labels.plan.DiscoveryMode;
import dev.pitcrew.agent.labels.plan.LabelApply;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The agent and NFD's master on one Node.
@WithControlPlane
class TwoLabellersTest {
  private static final String NFD = "nfd-master";
  private static final String LISTED = "nfd.node.kubernetes.io/feature-labels";
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String CLIQUE = "nvidia.com/gpu.clique";
  private static final String PCI = "feature.node.kubernetes.io/pci-10de.present";
  private static final Map<String, String> WANTED = Map.of(COUNT, "8", PCI, "true");

  private final KubernetesClient client;
  private final ApiCalls api;

  TwoLabellersTest(KubernetesClient client) {
    this.client = client;
    api = new ApiCalls(client);
  }

  @BeforeEach
  void create() {
    client
        .resource(new NodeBuilder().withNewMetadata().withName("node-a").endMetadata().build())
        .create();
  }

  @Test
  void labelsAreWrittenOnceAndStaleOnesGo() {
    assertThat(write(Map.of(COUNT, "8", CLIQUE, "a"))).isTrue();
    assertThat(write(Map.of(COUNT, "8", CLIQUE, "a"))).isFalse();
    assertThat(write(Map.of(COUNT, "8"))).isTrue();
    assertThat(label(CLIQUE)).isEmpty();
    assertThat(write(Map.of())).isTrue();
    assertThat(label(COUNT)).isEmpty();
    assertThat(write(Map.of())).isFalse();
  }

  @Test
  void nfdThatWasThereFirstKeepsItsLabelsUntilItLeaves() {
    nfd("'pci-10de.present'", "'%s': 'false'".formatted(PCI));

    assertThat(write(WANTED)).isTrue();
    assertThat(label(PCI)).contains("false");
    nfd("'pci-10de.present'", "'%s': 'maybe'".formatted(PCI));
    assertThat(write(WANTED)).isFalse();
    assertThat(label(PCI)).contains("maybe");

    nfd("null", "'%s': null".formatted(PCI));
    assertThat(write(WANTED)).isTrue();
    assertThat(label(PCI)).contains("true");
    assertThat(write(WANTED)).isFalse();
  }

  @Test
  void nfdThatComesLaterTakesOnlyWhatItChanges() {
    write(WANTED);

    nfd("'pci-10de.present'", "'%s': 'true'".formatted(PCI));
    assertThat(write(WANTED)).isFalse();
    assertThat(label(PCI)).contains("true");

    nfd("'pci-10de.present'", "'%s': 'false'".formatted(PCI));
    assertThat(write(WANTED)).isFalse();
    assertThat(label(PCI)).contains("false");
  }

  @Test
  void gpuLabelsThatNfdWroteForAnEarlierDiscoveryAreTakenOver() {
    nfd("'%s'".formatted(COUNT), "'%s': '4'".formatted(COUNT));

    assertThat(write(WANTED)).isTrue();
    assertThat(label(COUNT)).contains("8");
    assertThat(write(WANTED)).isFalse();

    nfd("null", "'%s': null".formatted(COUNT));
    assertThat(write(WANTED)).isTrue();
    assertThat(label(COUNT)).contains("8");
  }

  private void nfd(String listed, String label) {
    api.merge(
        NODE,
        NFD,
        "{'metadata': {'annotations': {'%s': %s}, 'labels': {%s}}}"
            .formatted(LISTED, listed, label));
  }

  private boolean write(Map<String, String> wanted) {
    Optional<JsonNode> body = LabelApply.of(api.live(NODE), wanted, DiscoveryMode.AUTO).body();
    body.ifPresent(it -> api.apply(NODE, "pitcrew-agent", it));
    return body.isPresent();
  }

  private Optional<String> label(String key) {
    JsonNode label = api.live(NODE).path("metadata").path("labels").path(key);
    return Optional.of(label.asText()).filter(_ -> !label.isMissingNode());
  }
}
