package dev.pitcrew.agent.process;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/// Warnings that are looked at again and again, and logged when they are new.
final class Told {
  private final Logger log;
  private final Set<String> told = new HashSet<>();

  Told(Logger log) {
    this.log = log;
  }

  void lines(List<String> now) {
    now.stream().filter(line -> !told.contains(line)).forEach(line -> log.atWarn().log(line));
    told.retainAll(now);
    told.addAll(now);
  }
}
