package dev.pitcrew.operator.computedomain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.computedomain.ComputeDomain;
import dev.pitcrew.operator.computedomain.Domain.Reading;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// The objects that NVIDIA's controller made for a ComputeDomain. The recording has names for UIDs
/// and images, and leaves out what the API server fills in.
class RecordedDomainObjectsTest {
  private static final String NAMESPACE = "dra";
  private static final String IMAGE = "<image>";

  private final JsonNode recording = recording();
  private final DomainObjects objects =
      new DomainObjects(domain(got("the ComputeDomain")), NAMESPACE, IMAGE, List.of());

  @Test
  void objectsAreThoseOfTheRecording() {
    assertThat(json(objects.daemonTemplate()))
        .isEqualTo(got("claim templates in the driver namespace").get(0));
    assertThat(json(objects.daemonSet()))
        .isEqualTo(got("DaemonSets in the driver namespace").get(0));
    assertThat(json(objects.workloadTemplate()))
        .isEqualTo(got("claim templates in the namespace of the domain").get(0));
  }

  @Test
  void pullSecretsReachTheDaemons() {
    var withSecrets =
        new DomainObjects(objects.domain(), NAMESPACE, IMAGE, List.of("registry")).daemonSet();

    assertThat(withSecrets.getSpec().getTemplate().getSpec().getImagePullSecrets())
        .extracting("name")
        .containsExactly("registry");
  }

  private static Domain domain(JsonNode resource) {
    if (Domain.read(ApiJson.read(resource, ComputeDomain.class))
        instanceof Reading.Valid(Domain domain)) {
      return domain;
    }
    throw new AssertionError("the recorded domain is refused");
  }

  private static JsonNode json(HasMetadata object) {
    ObjectNode tree = Serialization.unmarshal(Serialization.asJson(object), ObjectNode.class);
    tree.remove(List.of("apiVersion", "kind"));
    return tree;
  }

  private JsonNode got(String step) {
    return recording
        .path("steps")
        .valueStream()
        .filter(it -> it.path("do").asText().equals(step))
        .map(it -> it.path("got"))
        .findFirst()
        .orElseThrow();
  }

  private static JsonNode recording() {
    try (InputStream file =
        Objects.requireNonNull(
            RecordedDomainObjectsTest.class.getResourceAsStream("/dra/cdc-objects.json"))) {
      return ApiJson.read(new String(file.readAllBytes(), StandardCharsets.UTF_8), JsonNode.class);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
