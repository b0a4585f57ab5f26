package dev.pitcrew.hardware.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelLogTest {
  @TempDir private Path root;

  @Test
  void messagesComeWithoutTheirHeadsAndProperties() throws IOException {
    Files.createDirectory(root.resolve("dev"));
    Files.writeString(
        root.resolve("dev/kmsg"),
        """
        6,1,10,-;Linux version 6.8; built
         SUBSYSTEM=pci
        5,2,20,-;nvidia: module with unavailable key is rejected
        """);

    assertThat(KernelLog.messages(new HostRoot(root)))
        .containsExactly(
            "Linux version 6.8; built", "nvidia: module with unavailable key is rejected");
  }

  @Test
  void logThatIsNotThereSaysNothing() {
    assertThat(KernelLog.messages(new HostRoot(root))).isEmpty();
  }
}
