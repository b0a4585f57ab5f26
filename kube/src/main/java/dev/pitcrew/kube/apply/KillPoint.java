package dev.pitcrew.kube.apply;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// Halts the process right after a chosen write, for tests that a restart finishes what was begun.
///
/// `PITCREW_KILL_AFTER=<verb>:<kind>:<n>`, such as `apply:DaemonSet:2`, halts after the second
/// accepted apply of a DaemonSet, with exit code 137 and a line on standard error. Without the
/// variable there is no kill point.
record KillPoint(String verb, String kind, int number, AtomicInteger seen)
    implements Consumer<Write> {

  static final String VARIABLE = "PITCREW_KILL_AFTER";
  private static final int KILLED = 137;

  static Optional<KillPoint> from(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(VARIABLE)).map(KillPoint::parse);
  }

  private static KillPoint parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length != 3 || !parts[2].matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(
          VARIABLE + "=" + text + ": write <verb>:<kind>:<n>, such as apply:DaemonSet:2");
    }
    return new KillPoint(parts[0], parts[1], Integer.parseInt(parts[2]), new AtomicInteger());
  }

  boolean isReachedBy(Write write) {
    boolean matches = write.verb().text().equals(verb) && write.object().kind().equals(kind);
    return matches && seen.incrementAndGet() == number;
  }

  @Override
  public void accept(Write write) {
    if (isReachedBy(write)) {
      System.err.println(
          "killed after " + verb + " of " + write.object() + " as " + VARIABLE + " asks");
      Runtime.getRuntime().halt(KILLED);
    }
  }
}
