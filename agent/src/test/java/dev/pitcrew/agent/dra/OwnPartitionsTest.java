package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnPartitionsTest {
  private Instant now = Instant.parse("2026-11-28T12:00:00Z");
  private final OwnPartitions own = new OwnPartitions(() -> now);

  /// The inventory is read some time after the instance is gone.
  @Test
  void removedPartitionCountsUntilTheInventoryShowsIt() {
    own.set(Set.of("a", "b"));
    own.set(Set.of("b"));

    now = now.plusSeconds(9);
    assertThat(own.names()).containsExactlyInAnyOrder("a", "b");
    now = now.plusSeconds(1);
    assertThat(own.names()).containsExactly("b");
  }
}
