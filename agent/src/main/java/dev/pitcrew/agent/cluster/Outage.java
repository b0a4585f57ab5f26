package dev.pitcrew.agent.cluster;

import java.util.Optional;
import org.slf4j.Logger;

/// What keeps something from working, logged once when it begins and once when it is over: an
/// outage causes many failures.
public final class Outage {
  private final Logger log;
  private final String what;
  private volatile Optional<String> present = Optional.empty();

  /// @param what does not work, such as "watch of nodes/n1"
  Outage(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  Optional<String> present() {
    return present;
  }

  void begins(String why) {
    if (Thread.currentThread().isInterrupted()) {
      return; // we are being closed, which is what went wrong
    }
    if (present.isEmpty()) {
      log.atWarn().addKeyValue("why", why).log("{}: trying again", what);
    }
    present = Optional.of(why);
  }

  void isOver() {
    if (present.isPresent()) {
      log.atInfo().log("{}: works again", what);
    }
    present = Optional.empty();
  }
}
