package dev.pitcrew.agent.plugin;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeletFolderWatchTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path folder;

  @Test
  void whereTheKernelHasNoWatchLeftTheFolderIsLookedAtNowAndThenUntilThereIsOne() throws Exception {
    var looks = new AtomicInteger();
    var refusals = new AtomicInteger(2);
    KubeletFolderWatch.Watches watches =
        () -> {
          if (refusals.getAndDecrement() > 0) {
            throw new IOException("User limit of inotify instances reached");
          }
          return FileSystems.getDefault().newWatchService();
        };
    try (var _ =
        KubeletFolderWatch.start(KubeletPlace.in(folder), watches, looks::incrementAndGet)) {
      await().atMost(LIMIT).until(() -> looks.get() == 3);

      Files.createFile(folder.resolve("kubelet.sock"));
      await().atMost(LIMIT).until(() -> looks.get() == 4);
    }
  }
}
