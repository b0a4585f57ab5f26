package dev.pitcrew.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverTracesTest {
  @TempDir Path host;

  @Test
  void aDriverContainerIsKnownByItsProcessThenByWhatItInstalled() throws IOException {
    assertThat(now()).isEqualTo(DriverTraces.NONE);

    write("/run/nvidia/nvidia-driver.pid", "4711\n");
    assertThat(now()).as("its process has ended").isEqualTo(DriverTraces.NONE);

    write("/proc/4711/comm", "nvidia-driver");
    assertThat(now()).isEqualTo(DriverTraces.ALIVE);

    write("/run/nvidia/nvidia-driver.state", "1735021");
    assertThat(now()).isEqualTo(DriverTraces.ALIVE);

    write("/run/nvidia/nvidia-driver.pid", "../1\n");
    assertThat(now()).isEqualTo(DriverTraces.LEFT);
  }

  private DriverTraces now() {
    return DriverTraces.of(new HostRoot(host));
  }

  private void write(String path, String text) throws IOException {
    Path file = host.resolve(path.substring(1));
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
