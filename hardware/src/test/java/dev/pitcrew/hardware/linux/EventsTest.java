package dev.pitcrew.hardware.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
  private static final Path OF_A_DEVICE = Path.of("/sys/devices/virtual/mem/null/uevent");

  @TempDir Path folder;
  private final Semaphore received = new Semaphore(0);

  @Test
  void deviceFileThatAppearsOrDisappears_isReported() throws Exception {
    Path dev = Files.createDirectory(folder.resolve("dev"));
    try (var _ = FolderEvents.of(List.of(new Names(dev, "nvidia")), received::release)) {
      Files.createFile(dev.resolve("ttyS0"));
      Files.createFile(dev.resolve("nvidia0"));
      assertThat(isReported()).isTrue();
      Files.delete(dev.resolve("nvidia0"));
      assertThat(isReported()).isTrue();
    }
  }

  @Test
  void aFolderThatComesLaterIsWatchedToo() throws Exception {
    Path root = folder.resolve("run/nvidia/driver");
    try (var _ = FolderEvents.of(List.of(new Names(root, "")), received::release)) {
      Files.createDirectory(folder.resolve("elsewhere"));
      Files.createDirectory(folder.resolve("run"));
      assertThat(isReported()).isTrue();
      Files.createDirectories(root);
      assertThat(isReported()).isTrue();
      received.drainPermits();
      Files.createFile(root.resolve("usr"));
      assertThat(isReported()).isTrue();
    }
  }

  @Test
  void eventOfTheKernel_isReported() throws Exception {
    assumeTrue(Files.isWritable(OF_A_DEVICE), "announcing a device needs root");
    var events =
        KernelEvents.of(event -> event.contains("\nDEVNAME=null\n"), received::release)
            .orElseThrow();
    try (events) {
      Files.writeString(OF_A_DEVICE, "change");

      assertThat(isReported()).isTrue();
    }
  }

  @Test
  @Timeout(10)
  void closingEndsTheThread() {
    KernelEvents.ofGpus(received::release).ifPresent(KernelEvents::close);

    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals("kernel-events"));
  }

  @Test
  void onlyGpusConcern() {
    assertThat(KernelEvents.isOfGpus("add@/module/nvidia\nACTION=add\nSUBSYSTEM=module\n"))
        .isTrue();
    assertThat(KernelEvents.isOfGpus("remove@/d\nSUBSYSTEM=pci\nPCI_ID=10DE:2330\n")).isTrue();
    assertThat(KernelEvents.isOfGpus("add@/d\nSUBSYSTEM=pci\nPCI_ID=8086:2330\n")).isFalse();
    assertThat(KernelEvents.isOfGpus("add@/devices/virtual/net/veth0\n")).isFalse();
  }

  private boolean isReported() throws InterruptedException {
    return received.tryAcquire(5, TimeUnit.SECONDS);
  }
}
