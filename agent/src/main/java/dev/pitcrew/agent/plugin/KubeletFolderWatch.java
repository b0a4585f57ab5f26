package dev.pitcrew.agent.plugin;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Says when a socket appears in the kubelet's folder or goes away. Other files there change all
/// the time: the kubelet keeps its checkpoint beside the sockets.
final class KubeletFolderWatch implements AutoCloseable {
  private static final Duration UNTIL_FOLDER_IS_LOOKED_FOR_AGAIN = Duration.ofSeconds(1);

  private final Path folder;
  private final Runnable onChange;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final WatchService watcher;

  private KubeletFolderWatch(Path folder, Runnable onChange) throws IOException {
    this.folder = folder;
    this.onChange = onChange;
    this.watcher = folder.getFileSystem().newWatchService();
  }

  static KubeletFolderWatch start(Path folder, Runnable onChange) throws IOException {
    KubeletFolderWatch watch = new KubeletFolderWatch(folder, onChange);
    Thread.ofVirtual().name("kubelet-folder").start(watch::run);
    return watch;
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    watcher.close();
  }

  private void run() {
    try {
      boolean isClosed = false;
      while (!isClosed) {
        watchUntilFolderIsGone();
        isClosed = closed.await(UNTIL_FOLDER_IS_LOOKED_FOR_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (ClosedWatchServiceException | InterruptedException _) {
      // This is how it ends.
    }
  }

  private void watchUntilFolderIsGone() throws InterruptedException {
    try {
      folder.register(watcher, ENTRY_CREATE, ENTRY_DELETE);
    } catch (IOException _) {
      return;
    }
    // Whatever happened before there was a watch has been missed.
    onChange.run();
    boolean isThere = true;
    while (isThere) {
      WatchKey key = watcher.take();
      if (key.pollEvents().stream().anyMatch(KubeletFolderWatch::concernsSocket)) {
        onChange.run();
      }
      isThere = key.reset();
    }
  }

  private static boolean concernsSocket(WatchEvent<?> event) {
    return event.kind().equals(OVERFLOW)
        || (event.context() instanceof Path name && name.toString().endsWith(".sock"));
  }
}
