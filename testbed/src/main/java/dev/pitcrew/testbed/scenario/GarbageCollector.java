package dev.pitcrew.testbed.scenario;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// The garbage collector of a control plane. It learns of new definitions every thirty seconds, and
/// collects nothing that an object of theirs has owned before it has.
record GarbageCollector(KubernetesClient client, String namespace) {
  private static final String PROBE = "garbage-collector-probe";
  private static final long LIMIT_SECONDS = 120;

  /// Returns once dependents of a deleted object of this kind are collected.
  void awaitKnowing(ResourceDefinitionContext kind) {
    var owners = client.genericKubernetesResources(kind);
    GenericKubernetesResource owner =
        owners
            .resource(
                new GenericKubernetesResourceBuilder()
                    .withApiVersion(kind.getGroup() + "/" + kind.getVersion())
                    .withKind(kind.getKind())
                    .withNewMetadata()
                    .withName(PROBE)
                    .endMetadata()
                    .build())
            .create();
    ConfigMap dependent = client.resource(ownedBy(owner)).create();
    owners.withName(PROBE).delete();
    client.resource(dependent).waitUntilCondition(Objects::isNull, LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private ConfigMap ownedBy(GenericKubernetesResource owner) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(PROBE)
        .withNamespace(namespace)
        .addNewOwnerReference()
        .withApiVersion(owner.getApiVersion())
        .withKind(owner.getKind())
        .withName(PROBE)
        .withUid(owner.getMetadata().getUid())
        .endOwnerReference()
        .endMetadata()
        .build();
  }
}
