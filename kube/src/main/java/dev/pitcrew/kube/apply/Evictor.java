package dev.pitcrew.kube.apply;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.client.Clients;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.api.model.policy.v1.Eviction;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Evicts pods by the API server's `pods/eviction`, which asks disruption budgets first.
public final class Evictor {
  private static final int CREATED = 201;

  private final KubernetesClient client;
  private final Client once;
  private final Writes writes;

  public Evictor(KubernetesClient client, Writes writes) {
    this.client = client;
    this.once = Clients.withoutRetries(client);
    this.writes = writes;
  }

  /// What the API server said to one eviction.
  ///
  /// @param status of HTTP, or [KubeException#NO_ANSWER]
  /// @param message in its own words
  /// @param causes such as the disruption budget that is against it
  public record Answer(int status, String message, List<String> causes) {
    public Answer {
      causes = List.copyOf(causes);
    }
  }

  /// The pod as it is now.
  ///
  /// @throws KubeException when the API server cannot be asked
  public Optional<Pod> read(String namespace, String name) {
    return Writes.send(
        Verb.EVICT,
        ObjectKey.of("v1", "Pod", namespace, name),
        () -> Optional.ofNullable(client.pods().inNamespace(namespace).withName(name).get()));
  }

  /// Asks once, whatever the answer: a disruption budget answers 429, and allows no more a moment
  /// later. No later pod of the same name is meant.
  public Answer evict(String namespace, String name, String uid) {
    Eviction eviction =
        new EvictionBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .endMetadata()
            .withDeleteOptions(new DeleteOptionsBuilder().withNewPreconditions(null, uid).build())
            .build();
    String path = "/api/v1/namespaces/%s/pods/%s/eviction".formatted(namespace, name);
    try {
      writes.perform(
          Verb.EVICT,
          ObjectKey.of("v1", "Pod", namespace, name),
          () -> Optional.ofNullable(once.raw(path, "POST", eviction)));
      return new Answer(CREATED, "", List.of());
    } catch (KubeException e) {
      return new Answer(e.status(), e.reason(), causes(e));
    }
  }

  private static List<String> causes(KubeException failure) {
    @Nullable Status status =
        failure.getCause() instanceof KubernetesClientException refused
            ? refused.getStatus()
            : null;
    @Nullable StatusDetails details = status == null ? null : status.getDetails();
    @Nullable List<StatusCause> causes = details == null ? null : details.getCauses();
    return Objects.requireNonNullElse(causes, List.<StatusCause>of()).stream()
        .map(StatusCause::getMessage)
        .filter(Objects::nonNull)
        .toList();
  }
}
