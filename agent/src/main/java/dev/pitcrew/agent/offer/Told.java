package dev.pitcrew.agent.offer;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/// Warnings that are looked at again and again, and logged when they are new.
public final class Told {
  private final Logger log;
  private final Set<String> told = new HashSet<>();

  public Told(Logger log) {
    this.log = log;
  }

  /// @param now all that holds
  public void lines(List<String> now) {
    now.stream().filter(line -> !told.contains(line)).forEach(line -> log.atWarn().log(line));
    told.retainAll(now);
    told.addAll(now);
  }

  /// The warnings that hold, as of the last call.
  Set<String> now() {
    return Set.copyOf(told);
  }
}
