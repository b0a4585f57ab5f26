package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;

/// When a controller retries a write, and what it logs of a failure.
public final class WriteRetry {
  /// Long enough for an API server that starts, and short for a user who waits.
  public static final Duration DEADLINE = Duration.ofSeconds(10);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /// A forbidden or invalid request stays so until a user acts, and each node sends it.
  private static final Duration LONGEST_PAUSE_OF_A_REFUSAL = Duration.ofMinutes(5);

  private final Logger log;
  private final String what;
  private Duration pause = FIRST_PAUSE;
  private Duration longest = LONGEST_PAUSE;
  private String logged = "";

  /// @param what is written, for the log
  public WriteRetry(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /// The object as the server has it now; empty where the write failed. The same problem is logged
  /// once.
  public Optional<JsonNode> written(Reply reply) {
    return switch (reply) {
      case Reply.Done(var object) -> {
        pause = FIRST_PAUSE;
        logged = "";
        yield Optional.of(object);
      }
      case Reply.Refused refused -> {
        longest = refused.isPassing() ? LONGEST_PAUSE : LONGEST_PAUSE_OF_A_REFUSAL;
        pause = refused.atLeastAsAsked(pause);
        yield failed(
            "the API server refused %s: %d %s: %s"
                .formatted(what, refused.status(), refused.reason(), refused.message()));
      }
      case Reply.Unanswered(var reason) -> {
        longest = LONGEST_PAUSE;
        yield failed("the API server did not answer to %s: %s".formatted(what, reason));
      }
    };
  }

  /// When to try again: somewhat at random, so that nodes do not ask all at once.
  public Duration pause() {
    Duration now = pause;
    Duration next = pause.multipliedBy(2);
    pause = next.compareTo(longest) < 0 ? next : longest;
    return now.plusMillis(ThreadLocalRandom.current().nextLong(now.toMillis() + 1));
  }

  private Optional<JsonNode> failed(String problem) {
    if (!problem.equals(logged)) {
      log.atWarn().log("{}; trying again", problem);
      logged = problem;
    }
    return Optional.empty();
  }
}
