package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.operator.operand.driver.DriverSettings;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether the Secrets that a policy names exist. Secrets are watched only once a policy names one,
/// and their content is dropped as it arrives.
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

  Set<String> existing(ClusterPolicySpec spec) {
    var references = DriverSettings.of(spec).references();
    Set<String> wanted =
        Stream.of(references.secretEnvironment(), references.licensingSecret())
            .flatMap(Optional::stream)
            .collect(Collectors.toUnmodifiableSet());
    if (wanted.isEmpty()) {
      return Set.of();
    }
    Cache<Secret> secrets = watched();
    return wanted.stream()
        .filter(name -> secrets.get(namespace, name).isPresent())
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void close() {
    if (cache != null) {
      cache.close();
    }
  }

  private Cache<Secret> watched() {
    starting.lock();
    try {
      if (cache == null) {
        cache =
            Cache.of(
                client,
                Secret.class,
                CacheOptions.<Secret>all()
                    .inNamespace(namespace)
                    .slimmedBy(SecretReferences::withoutContent));
        cache.listen(_ -> changed.run());
        cache.start();
      }
      if (!cache.awaitSync(SYNC_LIMIT)) {
        throw new IllegalStateException(
            "the Secrets of namespace " + namespace + " cannot be listed");
      }
      return cache;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while listing Secrets", e);
    } finally {
      starting.unlock();
    }
  }

  private static Secret withoutContent(Secret secret) {
    secret.setData(null);
    secret.setStringData(null);
    secret.getMetadata().setManagedFields(null);
    secret.getMetadata().setAnnotations(null);
    return secret;
  }
}
