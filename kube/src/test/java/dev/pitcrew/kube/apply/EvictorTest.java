package dev.pitcrew.kube.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class EvictorTest {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int CREATED = 201;

  private KubernetesClient client;
  private String namespace;
  private ControlPlane plane;

  @BeforeEach
  void connect(KubernetesClient shared, TestNamespace own, ControlPlane controlPlane) {
    client = shared;
    namespace = own.name();
    plane = controlPlane;
  }

  @Test
  void anEvictionThatABudgetIsAgainstIsAskedForOnce() {
    Pod pod = runningPod("guarded");
    createBudget();

    assertThat(evict(pod).status()).isEqualTo(TOO_MANY_REQUESTS);
    assertThat(evict(pod).status()).isEqualTo(TOO_MANY_REQUESTS);

    // The audit log may have the last answer a moment after its client.
    assertThat(evictions())
        .hasSizeBetween(1, 2)
        .extracting(Request::status)
        .containsOnly(TOO_MANY_REQUESTS);
  }

  @Test
  void aPodWithoutBudgetIsEvicted() {
    assertThat(evict(runningPod("free")).status()).isEqualTo(CREATED);
  }

  private Evictor.Answer evict(Pod pod) {
    try (KubernetesClient own = Clients.create(ClientOptions.from(plane.kubeconfigFile()))) {
      return new Evictor(own, new Writes())
          .evict(namespace, pod.getMetadata().getName(), pod.getMetadata().getUid());
    }
  }

  private List<Request> evictions() {
    return plane.auditLog().requests().stream()
        .filter(it -> it.resource().equals("pods/eviction") && it.namespace().equals(namespace))
        .toList();
  }

  /// A pod that does not run yet may go whatever its budget says.
  private Pod runningPod(String name) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .addToLabels("app", "guarded")
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("main")
            .withImage("main")
            .endContainer()
            .endSpec()
            .build();
    client.resource(pod).create();
    return client
        .resource(pod)
        .editStatus(
            it -> new PodBuilder(it).withNewStatus().withPhase("Running").endStatus().build());
  }

  private void createBudget() {
    client
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("guard")
                .endMetadata()
                .withNewSpec()
                .withNewMinAvailable(1)
                .withNewSelector()
                .addToMatchLabels("app", "guarded")
                .endSelector()
                .endSpec()
                .build())
        .create();
  }
}
