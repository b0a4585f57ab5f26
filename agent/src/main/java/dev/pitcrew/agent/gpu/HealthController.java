package dev.pitcrew.agent.gpu;

import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.state.FileReports;
import java.time.Duration;
import java.util.Optional;

/// Keeps what speaks against the GPUs on the node, for the next agent.
public final class HealthController implements Controller<NodeSnapshot.WithDriver> {
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final HealthStore memory;
  private final FileReports files;

  public HealthController(HealthStore memory, FileReports files) {
    this.memory = memory;
    this.files = files;
  }

  @Override
  public Duration reconcile(NodeSnapshot.WithDriver snapshot) {
    Optional<String> problem = memory.keep(snapshot);
    files.report(HealthStore.FILE, problem);
    return problem.isPresent() ? UNTIL_TRIED_AGAIN : RESYNC;
  }
}
