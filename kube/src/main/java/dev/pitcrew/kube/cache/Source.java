package dev.pitcrew.kube.cache;

import dev.pitcrew.kube.client.Deadline;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The list and the watch of one kind, with the selectors of a cache. Every call is bounded in
/// time.
record Source<T extends HasMetadata>(
    FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?> operation,
    CacheOptions<T> options) {

  /// A pod of a driver, as it comes, takes some 40 KB of memory, and its text as much again.
  static final long PAGE = 100;

  /// Asks for all objects at once, as a list without a limit does.
  static final long WHOLE = 0;

  private static final Duration PAGE_LIMIT = Duration.ofSeconds(60);
  private static final Duration LARGE_PAGE_LIMIT = Duration.ofMinutes(5);

  /// The JDK's WebSocket waits for ever when it opens on a pooled connection that has died.
  private static final Duration OPEN_LIMIT = Duration.ofSeconds(15);

  /// @param continuation where the page before ended; null for the first page
  /// @param size how many objects, [#PAGE] or more, or [#WHOLE]
  KubernetesResourceList<T> page(@Nullable String continuation, long size)
      throws IOException, InterruptedException {
    ListOptions page =
        selected().withLimit(size == WHOLE ? null : size).withContinue(continuation).build();
    return Deadline.call(size == PAGE ? PAGE_LIMIT : LARGE_PAGE_LIMIT, () -> operation.list(page));
  }

  /// Opens a watch that starts right after `resourceVersion`. The server ends it when it sees fit,
  /// after half an hour to an hour.
  Watch watch(String resourceVersion, Watcher<T> watcher) throws IOException, InterruptedException {
    ListOptions from =
        selected().withResourceVersion(resourceVersion).withAllowWatchBookmarks(true).build();
    return Deadline.call(OPEN_LIMIT, () -> closeIfTooLate(operation.watch(from, watcher)));
  }

  private ListOptionsBuilder selected() {
    return new ListOptionsBuilder()
        .withLabelSelector(options.labelSelector())
        .withFieldSelector(options.fieldSelector());
  }

  private static Watch closeIfTooLate(Watch opened) {
    if (Thread.currentThread().isInterrupted()) {
      opened.close();
    }
    return opened;
  }
}
