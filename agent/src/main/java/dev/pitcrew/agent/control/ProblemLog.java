package dev.pitcrew.agent.control;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/// Logs problems that are found again at each reconcile, once each as long as they last.
public final class ProblemLog {
  private final Logger log;
  private final Set<String> logged = new HashSet<>();

  public ProblemLog(Logger log) {
    this.log = log;
  }

  /// @param now all problems that there are
  public void lines(List<String> now) {
    now.stream().filter(line -> !logged.contains(line)).forEach(line -> log.atWarn().log(line));
    logged.retainAll(now);
    logged.addAll(now);
  }

  /// The problems as of the last call.
  public Set<String> now() {
    return Set.copyOf(logged);
  }
}
