package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;

/// What tests that kill the agent of a node have in common: how it dies, how what comes after is
/// waited for, and the table of what was survived.
final class Kills {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration POLL = Duration.ofMillis(20);

  private final AgentOnNode agent;
  private final Path killer;
  private final List<String> survived = new ArrayList<>();

  Kills(GpuNode node, AgentOnNode agent) {
    this.agent = agent;
    this.killer = KillAgent.jarIn(node.jvm().folder());
  }

  /// An agent that dies at a place, as [KillAgent] takes it.
  DoomedAgent begin(String place) {
    return DoomedAgent.begin(agent, killer, place);
  }

  /// Waits for claims to hold; else their failure comes with the agent's last words.
  void soon(String what, ThrowingRunnable claims) {
    await(what)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .untilAsserted(() -> {
          try {
            claims.run();
          } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + agent.lastWords(), e);
          }
        });
  }

  void survived(String row) {
    survived.add(row);
  }

  List<String> soFar() {
    return survived;
  }

  /// Prints the table.
  void assertSurvived(int rows) {
    System.out.println(survived.size() + " kill points were hit:\n" + String.join("\n", survived));
    assertThat(survived).hasSize(rows);
  }

  static long millisSince(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime).toMillis();
  }
}
