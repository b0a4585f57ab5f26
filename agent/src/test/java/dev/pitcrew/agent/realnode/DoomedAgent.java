package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import java.nio.file.Path;
import java.time.Duration;

/// An agent that dies at a chosen place.
///
/// @param place as [KillAgent] takes it
record DoomedAgent(GuardedProcess process, String place) {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);

  /// @param killer the jar of [KillAgent]
  static DoomedAgent begin(AgentOnNode agent, Path killer, String place) {
    return new DoomedAgent(
        agent.begin("pitcrew-agent", "-javaagent:" + killer + "=" + place), place);
  }

  void awaitEnd() {
    await("the end of an agent that is to be killed at " + place)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .untilAsserted(() -> assertThat(process.isAlive()).as(process.logTail()).isFalse());
    assertThat(process.logTail()).contains(KillAgent.LAST_WORDS + place);
  }
}
