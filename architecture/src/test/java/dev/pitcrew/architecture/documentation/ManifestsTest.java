package dev.pitcrew.architecture.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The API server takes each manifest on a page as it is, without a field that it does not know.
@WithControlPlane
class ManifestsTest {
  private static final long LIMIT_SECONDS = 60;
  private static final YAMLMapper YAML = new YAMLMapper();

  /// Kinds of projects whose definitions are not here.
  private static final Set<String> OF_OTHERS =
      Set.of("NodePool", "Application", "HelmRelease", "Kustomization");

  private final KubernetesClient client;
  private final String namespace;

  ManifestsTest(ControlPlane plane, TestNamespace namespace) {
    client = plane.client();
    this.namespace = namespace.name();
  }

  private record Manifest(String where, ObjectNode object) {}

  @BeforeEach
  void installDefinitions() {
    PageCluster.installDefinitions(client);
    // Pods are refused until it is there.
    client
        .serviceAccounts()
        .inNamespace(namespace)
        .withName("default")
        .waitUntilCondition(Objects::nonNull, LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void theApiServerTakesEachManifest() throws IOException {
    List<Manifest> manifests = manifests();
    assertThat(manifests).hasSizeGreaterThan(12);

    var refused = new ArrayList<String>();
    for (Manifest manifest : manifests) {
      try {
        create(manifest.object());
      } catch (KubernetesClientException refusal) {
        refused.add(manifest.where() + ": " + refusal.getMessage());
      }
    }

    assertThat(refused).isEmpty();
  }

  @Test
  void aFieldThatItDoesNotKnowIsRefused() throws IOException {
    var policy =
        (ObjectNode)
            YAML.readTree(
                "{apiVersion: pitcrew.dev/v1alpha1, kind: FleetPolicy, metadata: {name: fleet}, spec: {rollout: {pausd: true}}}");

    assertThatThrownBy(() -> create(policy)).hasMessageContaining("spec.rollout.pausd");
  }

  private void create(ObjectNode object) {
    var resource =
        client.resource(
            Serialization.unmarshal(object.toString(), GenericKubernetesResource.class));
    resource
        .inNamespace(namespace)
        .dryRun()
        .fieldValidation(FieldValidateable.Validation.STRICT)
        .create();
  }

  private static List<Manifest> manifests() throws IOException {
    var manifests = new ArrayList<Manifest>();
    for (MarkdownPage page : MarkdownPage.all()) {
      for (MarkdownPage.Block block : page.blocks()) {
        if (block.language().equals("yaml")) {
          addManifests(manifests, page.name() + ":" + block.line(), block.text());
        }
      }
    }
    return manifests;
  }

  /// A block that is no YAML fails; a part of a file, such as values, is no manifest.
  private static void addManifests(List<Manifest> manifests, String where, String text)
      throws IOException {
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(text)) {
      while (documents.hasNextValue()) {
        JsonNode document = documents.nextValue();
        if (document.has("apiVersion") && !OF_OTHERS.contains(document.path("kind").asText())) {
          manifests.add(new Manifest(where, (ObjectNode) document));
        }
      }
    } catch (IOException broken) {
      throw new IOException(where + ": " + broken.getMessage(), broken);
    }
  }
}
