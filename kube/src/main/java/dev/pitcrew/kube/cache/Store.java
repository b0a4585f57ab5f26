package dev.pitcrew.kube.cache;

import dev.pitcrew.kube.cache.Change.Added;
import dev.pitcrew.kube.cache.Change.Deleted;
import dev.pitcrew.kube.cache.Change.Updated;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of one cache and its listeners. Reads take no lock; changes are reported one at a
/// time, in order.
final class Store<T extends HasMetadata> {

  private static final Logger log = LoggerFactory.getLogger(Store.class);

  /// Where an object of a known kind is.
  record Place(String namespace, String name) {

    static Place of(HasMetadata object) {
      ObjectMeta metadata = object.getMetadata();
      return new Place(
          metadata.getNamespace() == null ? "" : metadata.getNamespace(), metadata.getName());
    }
  }

  private final CacheOptions<T> options;
  private final Map<Place, T> objects = new ConcurrentHashMap<>();
  private final List<Consumer<Change<T>>> listeners = new ArrayList<>();
  private final List<Consumer<String>> listListeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock changing = new ReentrantLock();

  Store(CacheOptions<T> options) {
    this.options = options;
  }

  Optional<T> get(Place place) {
    return Optional.ofNullable(objects.get(place));
  }

  Collection<T> all() {
    return Collections.unmodifiableCollection(objects.values());
  }

  boolean isEmpty() {
    return objects.isEmpty();
  }

  /// The listener hears of every object that is there already before it hears of a change.
  void listen(Consumer<Change<T>> listener) {
    changing.lock();
    try {
      listeners.add(listener);
      objects.values().forEach(object -> notify(listener, new Added<>(object)));
    } finally {
      changing.unlock();
    }
  }

  void put(T arrived) {
    T object = options.slim().apply(arrived);
    Place place = Place.of(object);
    changing.lock();
    try {
      if (options.keep().test(object)) {
        replace(place, object);
      } else {
        drop(place);
      }
    } finally {
      changing.unlock();
    }
  }

  void remove(Place place) {
    changing.lock();
    try {
      drop(place);
    } finally {
      changing.unlock();
    }
  }

  void listenToLists(Consumer<String> listener) {
    listListeners.add(listener);
  }

  /// All that a list shows is here, and nothing else.
  void notifyListed(String version) {
    listListeners.forEach(listener -> listener.accept(version));
  }

  /// What a list does not show goes.
  void retain(Set<Place> present) {
    List.copyOf(objects.keySet()).stream()
        .filter(place -> !present.contains(place))
        .forEach(this::remove);
  }

  private void replace(Place place, T after) {
    T before = objects.get(place);
    if (before == null) {
      objects.put(place, after);
      notifyListeners(new Added<>(after));
    } else if (!sameUid(before, after)) {
      drop(place);
      objects.put(place, after);
      notifyListeners(new Added<>(after));
    } else if (!sameVersion(before, after)) {
      objects.put(place, after);
      notifyListeners(new Updated<>(before, after));
    }
  }

  private void drop(Place place) {
    @Nullable T last = objects.remove(place);
    if (last != null) {
      notifyListeners(new Deleted<>(last));
    }
  }

  private void notifyListeners(Change<T> change) {
    listeners.forEach(listener -> notify(listener, change));
  }

  private void notify(Consumer<Change<T>> listener, Change<T> change) {
    try {
      listener.accept(change);
    } catch (RuntimeException e) {
      log.error("listener failed on {}", change.latest().getMetadata().getName(), e);
    }
  }

  private static boolean sameUid(HasMetadata before, HasMetadata after) {
    return Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid());
  }

  private static boolean sameVersion(HasMetadata before, HasMetadata after) {
    return Objects.equals(
        before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion());
  }
}
