package dev.pitcrew.operator.runtime.domains;

import dev.pitcrew.operator.computedomain.DomainObjects;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The DeviceClasses that claims for ComputeDomains name and that do not exist. Read only while a
/// domain is not ready, and once in half a minute at most.
final class MissingClasses {
  private static final Duration FRESH = Duration.ofSeconds(30);

  private record Answer(List<String> missing, Instant until) {}

  private final KubernetesClient client;
  private final InstantSource clock;
  private final AtomicReference<Answer> last =
      new AtomicReference<>(new Answer(List.of(), Instant.EPOCH));

  MissingClasses(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  List<String> names() {
    Instant now = clock.instant();
    Answer answer = last.get();
    if (now.isBefore(answer.until())) {
      return answer.missing();
    }
    Set<String> present =
        client.genericKubernetesResources(DomainKinds.CLASS).list().getItems().stream()
            .map(it -> it.getMetadata().getName())
            .collect(Collectors.toSet());
    List<String> missing =
        Stream.of(DomainObjects.DAEMON_CLASS, DomainObjects.CHANNEL_CLASS)
            .filter(name -> !present.contains(name))
            .toList();
    last.set(new Answer(missing, now.plus(FRESH)));
    return missing;
  }
}
