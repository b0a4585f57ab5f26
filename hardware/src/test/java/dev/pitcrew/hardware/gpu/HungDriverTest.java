package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.StubLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/// A driver that hangs in a call about the whole node. The library notes its end in a file; one
/// that is ended or unmapped under a call ends this process.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HungDriverTest {
  private static final Duration TIMEOUT = Duration.ofMillis(200);

  /// Only the timeout may end a wait.
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir Path folder;
  private Path hangs = Path.of("/");
  private Path ended = Path.of("/");
  private GpuSettings settings = new GpuSettings(new HostRoot(hangs), new HostRoot(hangs));

  @BeforeEach
  void build() throws Exception {
    hangs = Files.createFile(folder.resolve("hangs"));
    ended = folder.resolve("ended");
    var library =
        StubLibrary.build(
            folder,
            """
            #include <fcntl.h>
            #include <unistd.h>
            int nvmlShutdown(void) { close(open("%s", O_CREAT | O_WRONLY, 0600)); return 0; }
            int nvmlSystemGetDriverVersion(char *text, unsigned length) { strcpy(text, "550.1"); return 0; }
            int nvmlDeviceGetCount_v2(unsigned *count) {
              while (access("%s", F_OK) == 0) usleep(1000);
              *count = 0;
              return 0;
            }
            """
                .formatted(ended, hangs));
    var host = new HostRoot(folder);
    settings = new GpuSettings(host, host, LONG).withLibrary(library);
  }

  @AfterEach
  void release() throws IOException {
    Files.deleteIfExists(hangs);
    await().until(() -> Files.exists(ended));
  }

  @Test
  void caller_waitsNoLongerThanItsTimeout() {
    try (var gpus = OpenedGpus.value(Gpus.open(settings))) {
      assertThat(gpus.inventory(TIMEOUT).isFailedWith(NvmlError.UNRESPONSIVE)).isTrue();
    }
  }

  @Test
  void recoveredGpu_isReadAgain() throws IOException {
    try (var gpus = OpenedGpus.value(Gpus.open(settings))) {
      assertThat(gpus.inventory(TIMEOUT).isFailedWith(NvmlError.UNRESPONSIVE)).isTrue();
      Files.delete(hangs);

      await().until(() -> gpus.inventory(TIMEOUT).reason().isEmpty());
    }
  }

  @Test
  void nvmlIsShutDownWhenTheCallReturnsAndNotBefore() throws IOException {
    assertThat(settings.use().isOver()).isTrue();
    var gpus = OpenedGpus.value(Gpus.open(settings));
    assertThat(gpus.inventory(TIMEOUT).isFailedWith(NvmlError.UNRESPONSIVE)).isTrue();
    gpus.close();

    assertThat(ended).doesNotExist();
    assertThat(gpus.inventory(TIMEOUT).reason()).isNotEmpty();
    assertThat(settings.use().isOver()).isFalse();

    Files.delete(hangs);
    await().until(() -> Files.exists(ended));
    await()
        .untilAsserted(() ->
            assertThat(Files.readString(Path.of("/proc/self/maps")))
                .doesNotContain(folder.toString()));
    await().until(() -> settings.use().isOver());
  }

  @Test
  void anOpeningThatIsInterruptedIsNoHang() {
    for (int trial = 0; trial < 20; trial++) {
      Thread.currentThread().interrupt();
      Gpus.open(settings).toOptional().ifPresent(Gpus::close);
      assertThat(Thread.interrupted()).isTrue();
    }

    await().untilAsserted(() -> OpenedGpus.value(Gpus.open(settings)).close());
  }
}
