package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/// What came of a call.
public sealed interface Reply {

  /// @param object as the server has it now
  record Done(JsonNode object) implements Reply {}

  /// The server answered and did nothing.
  ///
  /// @param status of HTTP: 404 for an object that is not there, 409 for one that is there already
  /// @param reason a word of Kubernetes, such as `NotFound`; empty from what is no API server
  /// @param about the object that a `Status` of Kubernetes names, as `daemonsets.apps/name`; empty
  ///   where it names none, and from what is no API server
  /// @param retryAfter how long the server wants to be left alone; zero where it does not say
  record Refused(int status, String reason, String about, String message, Duration retryAfter)
      implements Reply {
    private static final int SERVER_ERROR = 500;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(1);

    /// Whether the same call may succeed a little later without intervention.
    public boolean isPassing() {
      return status >= SERVER_ERROR || status == TOO_MANY_REQUESTS;
    }

    /// The wait before the next try: ours, or the server's where that is longer, up to a minute.
    public Duration atLeastAsAsked(Duration ours) {
      Duration asked =
          retryAfter.compareTo(LONGEST_RETRY_AFTER) < 0 ? retryAfter : LONGEST_RETRY_AFTER;
      return ours.compareTo(asked) > 0 ? ours : asked;
    }
  }

  /// Whether anything was done is not known.
  ///
  /// @param reason in words, for people
  record Unanswered(String reason) implements Reply {}
}
