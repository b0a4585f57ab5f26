package dev.pitcrew.testbed.junit;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/// A namespace for one test, with its default service account, deleted when the test is over.
public final class TestNamespace implements AutoCloseable {
  private final KubernetesClient client;
  private final String name;

  private TestNamespace(KubernetesClient client, String name) {
    this.client = client;
    this.name = name;
  }

  static TestNamespace create(KubernetesClient client) {
    var request =
        new NamespaceBuilder().withNewMetadata().withGenerateName("test-").endMetadata().build();
    var name = client.resource(request).create().getMetadata().getName();
    createAccount(client, name);
    return new TestNamespace(client, name);
  }

  /// No pod is admitted before it is there, and its controller takes a moment.
  private static void createAccount(KubernetesClient client, String namespace) {
    var account =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName("default")
            .withNamespace(namespace)
            .endMetadata()
            .build();
    try {
      client.resource(account).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  public String name() {
    return name;
  }

  /// Starts the deletion and does not wait for it: no other test uses the name. Pods go at once,
  /// since most of them are on nodes that do not exist and would wait for their grace period.
  @Override
  public void close() {
    client.namespaces().withName(name).delete();
    client.pods().inNamespace(name).withGracePeriod(0).delete();
  }

  @Override
  public String toString() {
    return name;
  }
}
