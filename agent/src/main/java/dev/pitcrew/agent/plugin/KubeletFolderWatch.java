package dev.pitcrew.agent.plugin;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says when a socket appears in the kubelet's folder or goes away. Other files there change all
/// the time: the kubelet keeps its checkpoint beside the sockets. Where the kernel has no watch
/// left for us, it only says now and then that a look may be worth it.
final class KubeletFolderWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KubeletFolderWatch.class);
  private static final Duration UNTIL_FOLDER_IS_LOOKED_FOR_AGAIN = Duration.ofSeconds(1);
  private static final Duration WITHOUT_A_WATCH = Duration.ofSeconds(5);

  private final KubeletPlace place;
  private final Watches watches;
  private final Runnable onChange;
  private final Thread thread = Thread.ofVirtual().name("kubelet-folder").unstarted(this::run);
  private boolean isReported;

  /// Where watches come from (inotify, of which a user has `fs.inotify.max_user_instances`).
  @FunctionalInterface
  interface Watches {
    WatchService open() throws IOException;
  }

  private KubeletFolderWatch(KubeletPlace place, Watches watches, Runnable onChange) {
    this.place = place;
    this.watches = watches;
    this.onChange = onChange;
  }

  static KubeletFolderWatch start(KubeletPlace place, Runnable onChange) {
    return start(place, () -> place.folder().getFileSystem().newWatchService(), onChange);
  }

  static KubeletFolderWatch start(KubeletPlace place, Watches watches, Runnable onChange) {
    var watch = new KubeletFolderWatch(place, watches, onChange);
    watch.thread.start();
    return watch;
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        watchWhilePossible();
        onChange.run();
        TimeUnit.MILLISECONDS.sleep(WITHOUT_A_WATCH.toMillis());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void watchWhilePossible() throws InterruptedException {
    try (WatchService watcher = watches.open()) {
      if (isReported) {
        LOG.atInfo().log("{} is watched again", place.folder());
        isReported = false;
      }
      while (!Thread.currentThread().isInterrupted()) {
        watchUntilFolderIsGone(watcher);
        TimeUnit.MILLISECONDS.sleep(UNTIL_FOLDER_IS_LOOKED_FOR_AGAIN.toMillis());
      }
    } catch (IOException e) {
      if (!isReported) {
        LOG.atWarn()
            .log(
                "{} cannot be watched ({}): raise fs.inotify.max_user_instances on the node. Until then a restart of the kubelet is seen within {} s",
                place.folder(),
                e.getMessage(),
                WITHOUT_A_WATCH.toSeconds());
        isReported = true;
      }
    }
  }

  private void watchUntilFolderIsGone(WatchService watcher) throws InterruptedException {
    try {
      place.folder().register(watcher, ENTRY_CREATE, ENTRY_DELETE);
    } catch (IOException _) {
      return;
    }
    // Whatever happened before there was a watch has been missed.
    onChange.run();
    boolean isThere = true;
    while (isThere) {
      WatchKey key = watcher.take();
      if (key.pollEvents().stream().anyMatch(this::concernsSocket)) {
        onChange.run();
      }
      isThere = key.reset();
    }
  }

  private boolean concernsSocket(WatchEvent<?> event) {
    return event.kind().equals(OVERFLOW)
        || (event.context() instanceof Path name && place.isSocket(name));
  }
}
