package dev.pitcrew.agent.process;

import dev.pitcrew.agent.node.NodeSnapshot;
import java.time.Duration;
import java.util.Optional;

/// Keeps what speaks against the GPUs on the node, for the next agent.
final class RememberHealth implements Concern {
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final HealthMemory memory;
  private final Board board;

  RememberHealth(HealthMemory memory, Board board) {
    this.memory = memory;
    this.board = board;
  }

  @Override
  public Duration act(Situation situation) {
    if (situation.snapshot().orElse(null) instanceof NodeSnapshot.WithDriver loaded) {
      Optional<String> problem = memory.keep(loaded);
      board.change(now -> now.withUnkept(HealthMemory.FILE, problem));
      return problem.isPresent() ? UNTIL_TRIED_AGAIN : SETTLED;
    }
    return SETTLED;
  }
}
