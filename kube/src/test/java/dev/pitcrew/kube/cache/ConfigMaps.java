package dev.pitcrew.kube.cache;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;

/// The objects that cache tests change, by a sound connection.
record ConfigMaps(KubernetesClient client, String namespace) {

  void create(String name, String value) {
    client.resource(object(name, value)).create();
  }

  void update(String name, String value) {
    client.resource(object(name, value)).update();
  }

  void delete(String name) {
    named(name).delete();
  }

  Resource<ConfigMap> named(String name) {
    return client.configMaps().inNamespace(namespace).withName(name);
  }

  private ConfigMap object(String name, String value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .addToLabels("value", value)
        .endMetadata()
        .addToData("value", value)
        .build();
  }
}
