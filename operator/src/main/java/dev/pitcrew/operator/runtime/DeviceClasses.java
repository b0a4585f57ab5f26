package dev.pitcrew.operator.runtime;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/// Resource names that dynamic resource allocation serves (KEP-5004): no node advertises them, and
/// only the scheduler knows whether they are available. Read only before an error is reported, and
/// once a minute at most.
///
/// For use by one thread at a time.
final class DeviceClasses {
  private static final Duration FRESH = Duration.ofMinutes(1);
  private static final int NOT_SERVED = 404;

  private final KubernetesClient client;
  private final InstantSource clock;
  private Set<String> names = Set.of();
  private Instant until = Instant.EPOCH;

  DeviceClasses(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  boolean serve(String resource) {
    Instant now = clock.instant();
    if (!now.isBefore(until)) {
      names = ask();
      until = now.plus(FRESH);
    }
    return names.contains(resource);
  }

  private Set<String> ask() {
    try {
      return client.genericKubernetesResources(Kinds.DEVICE_CLASS).list().getItems().stream()
          .map(DeviceClasses::extendedResource)
          .filter(name -> !name.isEmpty())
          .collect(Collectors.toUnmodifiableSet());
    } catch (KubernetesClientException e) {
      if (e.getCode() == NOT_SERVED) {
        return Set.of();
      }
      throw e;
    }
  }

  private static String extendedResource(GenericKubernetesResource deviceClass) {
    return Objects.toString(deviceClass.get("spec", "extendedResourceName"), "");
  }
}
