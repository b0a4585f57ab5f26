package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverOwnershipTest {
  private static final String DRIVER = "gpu.nvidia.com";

  private final Path folder;
  private final Path registry;
  private final AtomicInteger changes = new AtomicInteger();
  private final DriverOwnership ownership;

  DriverOwnershipTest(@TempDir Path root) throws IOException {
    folder = root.resolve("plugins").resolve(DRIVER);
    registry = Files.createDirectory(root.resolve("plugins_registry"));
    ownership = new DriverOwnership(folder, registry, DRIVER, changes::incrementAndGet);
  }

  @AfterEach
  void close() {
    ownership.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpu.nvidia.com-reg.sock", "gpu.nvidia.com-0d9e6f52-reg.sock"})
  void processThatListens_isTheDriverUntilItEnds(String name) throws Exception {
    try (ServerSocketChannel _ = listen(name)) {
      assertThat(ownership.take(_ -> false))
          .hasValueSatisfying(reason ->
              assertThat(reason).contains(registry.resolve(name).toString(), "remove its pod"));
      assertThat(folder.resolve("pu.lock")).doesNotExist();
      assertThat(changes).hasValue(0);
    }
    await().until(() -> changes.get() == 1);
    assertThat(ownership.take(_ -> false)).as("only the file is left").isEmpty();
    assertThat(isLockFree()).isFalse();
  }

  @Test
  void driver_keepsOtherProcessesFromTheLockOfPreparations() throws Exception {
    assertThat(ownership.take(_ -> false)).isEmpty();
    assertThat(ownership.take(_ -> false)).as("again").isEmpty();
    assertThat(isLockFree()).isFalse();
    ownership.release();
    assertThat(isLockFree()).isTrue();
  }

  @Test
  void socketsOfThisProcessAndOfOtherDrivers_areNoOther() throws IOException {
    String own = "gpu.nvidia.com-reg.sock";
    try (ServerSocketChannel _ = listen(own);
        ServerSocketChannel _ = listen("compute-domain.nvidia.com-reg.sock");
        ServerSocketChannel _ = listen("gpu.nvidia.com.example-reg.sock")) {
      assertThat(ownership.take(path -> path.equals(registry.resolve(own)))).isEmpty();
    }
  }

  @Test
  void preparationOfAnotherProcess_isWaitedFor() throws Exception {
    Files.createDirectories(folder);
    Path lock = folder.resolve("pu.lock");
    Process other =
        new ProcessBuilder("flock", "-n", lock.toString(), "sh", "-c", "echo locked; read line")
            .start();
    assertThat(other.inputReader().readLine()).isEqualTo("locked");
    assertThat(ownership.take(_ -> false))
        .hasValueSatisfying(reason -> assertThat(reason).contains("holds " + lock));
    other.getOutputStream().close();
    other.waitFor();
    assertThat(ownership.take(_ -> false)).isEmpty();
  }

  private ServerSocketChannel listen(String name) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(registry.resolve(name)));
    return server;
  }

  private boolean isLockFree() throws Exception {
    return new ProcessBuilder("flock", "-n", folder.resolve("pu.lock").toString(), "true")
            .start()
            .waitFor()
        == 0;
  }
}
