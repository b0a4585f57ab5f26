package dev.pitcrew.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.host.HostShell.Said;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/// A child of the program keeps its output open until the test has ended.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HostShellTest {
  private static final Duration LIMIT = Duration.ofSeconds(3);

  private Optional<ProcessHandle> child = Optional.empty();

  @AfterEach
  void end() {
    child.ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void theLimitHoldsThoughAChildKeepsTheOutputOpen() throws Exception {
    Said said = run("sleep 600 & echo $!; exec sleep 600");

    assertThat(said.status()).isEqualTo(124);
  }

  @Test
  void outputOfAProgram_isReadThoughAChildKeepsItOpen() throws Exception {
    Said said = run("sleep 600 & echo $!; echo no GPU >&2; exit 9");

    assertThat(said.status()).isEqualTo(9);
    assertThat(said.lastOutput()).isEqualTo("no GPU");
  }

  private Said run(String script) throws InterruptedException {
    Said said = HostShell.run(LIMIT, new ProcessBuilder("sh", "-c", script));
    child = ProcessHandle.of(Long.parseLong(said.output().strip()));
    assertThat(child)
        .as("a child that has ended was waited for")
        .get()
        .matches(ProcessHandle::isAlive);
    return said;
  }
}
