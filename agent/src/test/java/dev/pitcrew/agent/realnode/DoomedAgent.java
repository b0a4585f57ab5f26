package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import java.time.Duration;

/// An agent that is to die at a chosen place.
///
/// @param place as [KillAgent] takes it
record DoomedAgent(GuardedProcess process, String place) {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  void awaitEnd() {
    await("the end of an agent that is to be killed at " + place)
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(process.isAlive()).as(process.logTail()).isFalse());
    assertThat(process.logTail()).contains(KillCheck.LAST_WORDS + place);
  }
}
