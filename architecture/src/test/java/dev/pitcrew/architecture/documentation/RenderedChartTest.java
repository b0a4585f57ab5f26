package dev.pitcrew.architecture.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The API server keeps each field of the chart's objects as it is, so that what compares the chart
/// with the cluster, such as Argo CD, finds no difference after a sync.
@WithControlPlane
class RenderedChartTest {
  private static final String NAMESPACE = "gpu-operator";
  private static final Chart CHART = new Chart(MarkdownPage.REPOSITORY.resolve("charts/pitcrew"));

  private final KubernetesClient client;

  RenderedChartTest(ControlPlane plane) {
    client = plane.client();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "operator: {cleanupCRD: true}, driver: {nvidiaDriverCRD: {enabled: true}}",
        "clusterPolicy: {deployCR: false}, gpuCluster: {deployCR: true}, driver: {enabled: false}",
        "fleetPolicy: {rollout: {canary: {nodes: 1, soakSeconds: 60}, paused: true}, agent: {functions: [dra]}, dra: {nodeSelector: {a: b}}}",
      })
  void isKeptAsItIs(String values) {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
    PageCluster.installDefinitions(client);

    List<JsonNode> objects = rendered(values);
    assertThat(objects).hasSizeGreaterThan(10);
    assertThat(objects.stream().flatMap(object -> changes(object).stream())).isEmpty();
  }

  /// All objects but those of hooks, which Helm's library leaves out.
  private static List<JsonNode> rendered(String values) {
    String settings =
        "{pitcrew: {image: {repository: registry.example.com, image: gpu/pitcrew}}%s}"
            .formatted(values.isEmpty() ? "" : ", " + values);
    String manifests =
        CHART.template(new Chart.ReleaseName(NAMESPACE, NAMESPACE), new Values(settings));
    return Arrays.stream(manifests.split("(?m)^---\\s*$"))
        .map(document -> Serialization.unmarshal(document, JsonNode.class))
        .filter(document -> document != null && document.has("kind"))
        .toList();
  }

  private List<String> changes(JsonNode object) {
    GenericKubernetesResource kept =
        client
            .resource(Serialization.unmarshal(object.toString(), GenericKubernetesResource.class))
            .dryRun()
            .fieldValidation(FieldValidateable.Validation.STRICT)
            .serverSideApply();
    JsonNode after = KubernetesJson.MAPPER.valueToTree(kept);
    var changes = new ArrayList<String>();
    compare(
        object.path("kind").asText() + "/" + object.at("/metadata/name").asText(),
        object,
        after,
        changes);
    return changes;
  }

  /// Fields that only the API server has are defaults, and no difference.
  private static void compare(String path, JsonNode wanted, JsonNode kept, List<String> changes) {
    if (wanted.isObject()) {
      wanted
          .properties()
          .forEach(field ->
              compare(
                  path + "." + field.getKey(),
                  field.getValue(),
                  kept.path(field.getKey()),
                  changes));
    } else if (wanted.isArray()) {
      for (int i = 0; i < wanted.size(); i++) {
        compare(path + "[" + i + "]", wanted.get(i), kept.path(i), changes);
      }
    } else if (!wanted.asText().equals(kept.asText())) {
      changes.add("%s is %s, was %s".formatted(path, kept, wanted));
    }
  }
}
