package dev.pitcrew.agent.process;

import dev.pitcrew.agent.node.NodeSnapshot;
import java.time.Duration;
import java.util.Optional;

/// Keeps what speaks against the GPUs on the node, for the next agent.
final class HealthController implements Controller {
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final HealthStore memory;
  private final StateStore board;

  HealthController(HealthStore memory, StateStore board) {
    this.memory = memory;
    this.board = board;
  }

  @Override
  public Duration act(NodeState situation) {
    if (situation.snapshot().orElse(null) instanceof NodeSnapshot.WithDriver loaded) {
      Optional<String> problem = memory.keep(loaded);
      board.change(now -> now.withUnkept(HealthStore.FILE, problem));
      return problem.isPresent() ? UNTIL_TRIED_AGAIN : SETTLED;
    }
    return SETTLED;
  }
}
