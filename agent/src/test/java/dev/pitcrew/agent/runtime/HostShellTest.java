package dev.pitcrew.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.runtime.HostShell.Said;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A child of the program keeps its output open for a minute.
class HostShellTest {
  private static final Duration LIMIT = Duration.ofSeconds(3);
  private static final Duration LONG_BEFORE_THE_CHILD_ENDS = Duration.ofSeconds(30);

  private final long begunAtNanos = System.nanoTime();
  private Optional<ProcessHandle> child = Optional.empty();

  @AfterEach
  void end() {
    child.ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void theLimitHoldsThoughAChildKeepsTheOutputOpen() throws Exception {
    Said said = run("sleep 60 & echo $!; exec sleep 60");

    assertThat(said.status()).isEqualTo(124);
  }

  @Test
  void whatAProgramSaidCountsThoughAChildKeepsTheOutputOpen() throws Exception {
    Said said = run("sleep 60 & echo $!; echo no GPU >&2; exit 9");

    assertThat(said.status()).isEqualTo(9);
    assertThat(said.lastWords()).isEqualTo("no GPU");
  }

  private Said run(String script) throws InterruptedException {
    Said said = HostShell.run(LIMIT, new ProcessBuilder("sh", "-c", script));
    child = ProcessHandle.of(Long.parseLong(said.output().strip()));
    assertThat(Duration.ofNanos(System.nanoTime() - begunAtNanos))
        .isLessThan(LONG_BEFORE_THE_CHILD_ENDS);
    return said;
  }
}
