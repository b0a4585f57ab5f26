package dev.pitcrew.testbed.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@WithControlPlane
class ClusterContentsTest {
  @Test
  void onlyWhatIsNewIsDeleted(KubernetesClient client) {
    client.resource(NodeTemplate.cpu("old").node(1)).create();
    var before = ClusterContents.of(client);
    client.resource(NodeTemplate.cpu("new").node(1)).create();

    ClusterContents.of(client).deleteAllBut(before);

    assertThat(client.nodes().withName("new-1").get()).isNull();
    assertThat(client.nodes().withName("old-1").get()).isNotNull();
  }

  @Test
  void aFinalizerWithoutAControllerHoldsNothingUp(
      KubernetesClient client, TestNamespace namespace) {
    var definition = client.resource(definition()).create();
    client
        .resource(definition)
        .waitUntilCondition(Definitions::isEstablished, 90, TimeUnit.SECONDS);
    var before = ClusterContents.of(client);
    var held = client.resource(held(namespace)).create();

    ClusterContents.of(client).deleteAllBut(before);

    assertThat(client.resource(held).get()).isNull();
    client.resource(definition).delete();
  }

  private static GenericKubernetesResource held(TestNamespace namespace) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("testbed.pitcrew.dev/v1")
        .withKind("Thing")
        .withNewMetadata()
        .withNamespace(namespace.name())
        .withName("held")
        .withFinalizers("testbed.pitcrew.dev/held")
        .endMetadata()
        .build();
  }

  private static CustomResourceDefinition definition() {
    var schema = new JSONSchemaPropsBuilder().withType("object").build();
    return new CustomResourceDefinitionBuilder()
        .withNewMetadata()
        .withName("things.testbed.pitcrew.dev")
        .endMetadata()
        .withNewSpec()
        .withGroup("testbed.pitcrew.dev")
        .withScope("Namespaced")
        .withNewNames()
        .withKind("Thing")
        .withPlural("things")
        .endNames()
        .addNewVersion()
        .withName("v1")
        .withServed(true)
        .withStorage(true)
        .withNewSchema()
        .withOpenAPIV3Schema(schema)
        .endSchema()
        .endVersion()
        .endSpec()
        .build();
  }
}
