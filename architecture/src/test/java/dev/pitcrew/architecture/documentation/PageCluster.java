package dev.pitcrew.architecture.documentation;

import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.Definitions;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.concurrent.TimeUnit;

/// The cluster of tests of pages.
final class PageCluster {
  private static final long LIMIT_SECONDS = 60;

  private PageCluster() {}

  static void installDefinitions(KubernetesClient client) {
    for (String file : Crds.files()) {
      var definition = client.resource(Crds.yaml(file));
      definition.serverSideApply();
      definition.waitUntilCondition(
          it -> Definitions.isEstablished((CustomResourceDefinition) it),
          LIMIT_SECONDS,
          TimeUnit.SECONDS);
    }
  }
}
