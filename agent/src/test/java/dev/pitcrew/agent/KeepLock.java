package dev.pitcrew.agent;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;

/// A process that holds a lock until it is killed.
public final class KeepLock {
  private KeepLock() {}

  public static Process start(Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            KeepLock.class.getName(),
            file.toString())
        .inheritIO()
        .start();
  }

  public static void main(String[] arguments) throws Exception {
    try (var file =
            FileChannel.open(
                Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = file.lock()) {
      new CountDownLatch(1).await();
    }
  }
}
