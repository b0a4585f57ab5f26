package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Whether the Secrets that a policy names exist. Secrets are watched only once a policy names one,
/// and of their content only a digest is kept.
final class SecretReferences implements AutoCloseable {
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final String namespace;
  private final Runnable changed;
  private final ReentrantLock starting = new ReentrantLock();
  private @Nullable Cache<Secret> cache;

  /// @param changed run when a Secret appears, changes or goes
  SecretReferences(KubernetesClient client, String namespace, Runnable changed) {
    this.client = client;
    this.namespace = namespace;
    this.changed = changed;
  }

  /// Those of the Secrets that exist; empty while the API server does not list any.
  Optional<Set<String>> existing(Set<String> wanted) {
    return wanted.isEmpty()
        ? Optional.of(Set.of())
        : listed()
            .map(secrets ->
                wanted.stream()
                    .filter(name -> secrets.get(namespace, name).isPresent())
                    .collect(Collectors.toUnmodifiableSet()));
  }

  /// Key → digest of the value, of each of the Secrets that is known to exist, by name.
  Map<String, Map<String, String>> content(Set<String> wanted) {
    return listed().stream()
        .flatMap(secrets -> wanted.stream().flatMap(it -> secrets.get(namespace, it).stream()))
        .collect(Collectors.toMap(secret -> secret.getMetadata().getName(), Secret::getData));
  }

  @Override
  public void close() {
    if (cache != null) {
      cache.close();
    }
  }

  /// Waits for the first list, and not again where that was in vain: the worker has more to do.
  private Optional<Cache<Secret>> listed() {
    starting.lock();
    try {
      if (cache == null) {
        cache =
            Cache.of(
                client,
                Secret.class,
                CacheOptions.<Secret>all()
                    .inNamespace(namespace)
                    .slimmedBy(SecretReferences::withoutValues));
        cache.listen(_ -> changed.run());
        cache.listenToLists(_ -> changed.run());
        cache.start();
        cache.awaitSync(SYNC_LIMIT);
      }
      return Optional.of(cache).filter(Cache::isSynced);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while listing Secrets", e);
    } finally {
      starting.unlock();
    }
  }

  private static Secret withoutValues(Secret secret) {
    secret.setData(ReferencedContent.digests(secret.getData()));
    secret.setStringData(null);
    secret.getMetadata().setManagedFields(null);
    secret.getMetadata().setAnnotations(null);
    return secret;
  }
}
