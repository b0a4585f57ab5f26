package dev.pitcrew.kube.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Which objects a [Cache] holds, and how much of each. Start from [#all] and narrow it.
///
/// @param namespace null for all namespaces and for kinds that have none
/// @param slim run on every object as it arrives, before anything is stored; may change its
///   argument
/// @param keep objects that fail it, after `slim`, are treated as absent
/// @param silence how long a watch may bring nothing, not even a bookmark, before it is replaced;
///   API servers send bookmarks about once a minute
public record CacheOptions<T extends HasMetadata>(
    @Nullable String namespace,
    @Nullable String labelSelector,
    @Nullable String fieldSelector,
    UnaryOperator<T> slim,
    Predicate<T> keep,
    Duration silence) {

  private static final Duration SILENCE = Duration.ofMinutes(3);

  /// Every object of the kind, with the field sets of its managers left out.
  public static <T extends HasMetadata> CacheOptions<T> all() {
    return new CacheOptions<>(null, null, null, Slim.managers(), _ -> true, SILENCE);
  }

  public CacheOptions<T> inNamespace(String newNamespace) {
    return new CacheOptions<>(newNamespace, labelSelector, fieldSelector, slim, keep, silence);
  }

  /// Only objects with these labels.
  ///
  /// @param selector as kubectl takes it: `a=b,c in (d,e),!f`
  public CacheOptions<T> withLabels(String selector) {
    return new CacheOptions<>(namespace, selector, fieldSelector, slim, keep, silence);
  }

  /// Only objects with these field values, of the few fields that the API server selects by.
  ///
  /// @param selector as kubectl takes it: `metadata.name=x`
  public CacheOptions<T> withFields(String selector) {
    return new CacheOptions<>(namespace, labelSelector, selector, slim, keep, silence);
  }

  /// Replaces the default, [Slim#managers].
  public CacheOptions<T> slimmedBy(UnaryOperator<T> newSlim) {
    return new CacheOptions<>(namespace, labelSelector, fieldSelector, newSlim, keep, silence);
  }

  public CacheOptions<T> keeping(Predicate<T> newKeep) {
    return new CacheOptions<>(namespace, labelSelector, fieldSelector, slim, newKeep, silence);
  }

  public CacheOptions<T> silentFor(Duration newSilence) {
    return new CacheOptions<>(namespace, labelSelector, fieldSelector, slim, keep, newSilence);
  }
}
