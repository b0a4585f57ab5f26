package dev.pitcrew.kube.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@WithControlPlane
class OptionalKindTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final ResourceDefinitionContext WIDGETS =
      new ResourceDefinitionContext.Builder()
          .withGroup("test.pitcrew.dev")
          .withVersion("v1")
          .withKind("Widget")
          .withPlural("widgets")
          .withNamespaced(true)
          .build();

  @Test
  void aKindThatIsNotServedIsAbsentUntilItsDefinitionComes(
      KubernetesClient client, TestNamespace namespace) throws InterruptedException {
    var added = new LinkedBlockingQueue<Change<GenericKubernetesResource>>();
    try (var cache = Cache.ofGeneric(client, WIDGETS, CacheOptions.all())) {
      cache.listen(added::add);
      assertThat(cache.start().awaitSync(LIMIT)).isTrue();
      assertThat(cache.isAbsent()).isTrue();
      assertThat(cache.all()).isEmpty();

      client.resource(definition()).create();
      client
          .apiextensions()
          .v1()
          .customResourceDefinitions()
          .withName("widgets.test.pitcrew.dev")
          .waitUntilCondition(Definitions::isEstablished, LIMIT.toSeconds(), TimeUnit.SECONDS);
      client.genericKubernetesResources(WIDGETS).resource(widget(namespace.name())).create();
      cache.refresh();

      assertThat(added.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(Change.Added.class);
      assertThat(cache.get(namespace.name(), "w")).isPresent();
    }
  }

  private static GenericKubernetesResource widget(String namespace) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("test.pitcrew.dev/v1")
        .withKind("Widget")
        .withNewMetadata()
        .withName("w")
        .withNamespace(namespace)
        .endMetadata()
        .build();
  }

  private static CustomResourceDefinition definition() {
    return new CustomResourceDefinitionBuilder()
        .withNewMetadata()
        .withName("widgets.test.pitcrew.dev")
        .endMetadata()
        .withNewSpec()
        .withGroup("test.pitcrew.dev")
        .withScope("Namespaced")
        .withNewNames()
        .withKind("Widget")
        .withPlural("widgets")
        .endNames()
        .addNewVersion()
        .withName("v1")
        .withServed(true)
        .withStorage(true)
        .withNewSchema()
        .withNewOpenAPIV3Schema()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true)
        .endOpenAPIV3Schema()
        .endSchema()
        .endVersion()
        .endSpec()
        .build();
  }
}
