package dev.pitcrew.agent.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/// A file system of its own with little room, which can be filled and made read-only. Only root can
/// mount one.
public final class TinyDisk implements AutoCloseable {
  private static final int BLOCK_BYTES = 4096;
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private final Path folder;

  private TinyDisk(Path folder) {
    this.folder = folder;
  }

  public static boolean isPossible() {
    return "root".equals(System.getProperty("user.name"));
  }

  /// Mounts it over a folder.
  static TinyDisk over(Path folder) throws IOException, InterruptedException {
    run(List.of("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.toString()));
    return new TinyDisk(folder);
  }

  /// Mounts one over a folder from which no program may be started.
  public static TinyDisk withoutPrograms(Path folder) throws IOException, InterruptedException {
    run(List.of("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", folder.toString()));
    return new TinyDisk(folder);
  }

  /// Fills it until it stays full: what is being written in this moment replaces an older file,
  /// whose room is free then.
  void fill() {
    await()
        .during(Duration.ofMillis(500))
        .atMost(LIMIT)
        .until(() -> {
          boolean wasFull = Files.getFileStore(folder).getUsableSpace() == 0;
          fillWhatIsFree();
          return wasFull;
        });
  }

  private void fillWhatIsFree() throws IOException {
    try (OutputStream out =
        Files.newOutputStream(
            folder.resolve("ballast"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      byte[] block = new byte[BLOCK_BYTES];
      while (true) {
        out.write(block);
      }
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException _) {
      // This is how a full disk says so.
    }
  }

  void empty() throws IOException {
    Files.deleteIfExists(folder.resolve("ballast"));
  }

  /// Makes it read-only as soon as no file is open for writing; the kernel refuses it until then.
  void readOnly() {
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(() -> run(List.of("mount", "-o", "remount,ro", folder.toString())));
  }

  void writable() throws IOException, InterruptedException {
    run(List.of("mount", "-o", "remount,rw", folder.toString()));
  }

  @Override
  public void close() throws IOException {
    try {
      run(List.of("umount", "-l", folder.toString()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said);
    }
  }
}
