package dev.pitcrew.kube.cache;

import dev.pitcrew.kube.cache.Change.Added;
import dev.pitcrew.kube.cache.Change.Deleted;
import dev.pitcrew.kube.cache.Change.Updated;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/// The objects of a [Cache] by a key that each of them has, such as the node of a pod, so that a
/// caller need not scan all of them. It is as current as what listeners of the cache see.
///
/// Safe for use by many threads. The objects are shared: callers must not change them.
public final class Index<T extends HasMetadata> {
  private final Function<T, String> key;
  private final Map<String, List<T>> objects = new ConcurrentHashMap<>();

  private Index(Function<T, String> key) {
    this.key = key;
  }

  /// Listeners that come to the cache later find in the index what they hear of.
  ///
  /// @param key what an object is found by
  public static <T extends HasMetadata> Index<T> of(Cache<T> cache, Function<T, String> key) {
    var index = new Index<>(key);
    cache.listen(index::follow);
    return index;
  }

  /// All that say this, in no order.
  public List<T> get(String value) {
    return objects.getOrDefault(value, List.of());
  }

  private void follow(Change<T> change) {
    switch (change) {
      case Added<T>(T object) -> add(object);
      case Updated<T>(T before, T after) when key.apply(before).equals(key.apply(after)) ->
          objects.computeIfPresent(key.apply(after), (_, all) -> with(all, after));
      case Updated<T>(T before, T after) -> {
        remove(before);
        add(after);
      }
      case Deleted<T>(T last) -> remove(last);
    }
  }

  private void add(T object) {
    objects.merge(key.apply(object), List.of(object), (all, _) -> with(all, object));
  }

  private void remove(T object) {
    objects.computeIfPresent(
        key.apply(object),
        (_, all) -> {
          List<T> others = without(all, object).toList();
          return others.isEmpty() ? null : others;
        });
  }

  private static <T extends HasMetadata> List<T> with(List<T> all, T object) {
    return Stream.concat(without(all, object), Stream.of(object)).toList();
  }

  private static <T extends HasMetadata> Stream<T> without(List<T> all, T object) {
    return all.stream()
        .filter(it -> !Objects.equals(it.getMetadata().getUid(), object.getMetadata().getUid()));
  }
}
