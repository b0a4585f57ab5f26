package dev.pitcrew.agent.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.KeepLock;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeLockTest {
  @TempDir private Path folder;

  @Test
  void theSecondAgentWaitsUntilTheFirstOneIsKilled() throws Exception {
    Process first = KeepLock.start(folder.resolve("agent.lock"));
    try {
      await().until(() -> !isFree());
      try (NodeLock lock = NodeLock.in(folder)) {
        assertThat(lock.isOurs()).isFalse();

        first.destroyForcibly();
        lock.await();

        assertThat(lock.isOurs()).isTrue();
      }
    } finally {
      first.destroyForcibly().waitFor();
    }
  }

  private boolean isFree() throws Exception {
    try (NodeLock lock = NodeLock.in(folder)) {
      return lock.isOurs();
    }
  }
}
