package dev.pitcrew.agent.cluster;

import static java.net.HttpURLConnection.HTTP_GONE;

import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Refused;
import dev.pitcrew.agent.cluster.Reply.Unanswered;

/// How one watch ended.
sealed interface WatchEnd {
  record ByServer() implements WatchEnd {}

  /// The server has forgotten the place: only a list helps.
  record Gone() implements WatchEnd {}

  record Broken(String why) implements WatchEnd {}

  record NotBegun(Refused reply) implements WatchEnd {}

  /// The end of a watch that has not even begun.
  static WatchEnd of(Reply reply) {
    return switch (reply) {
      case Refused refused when refused.status() == HTTP_GONE -> new Gone();
      case Refused refused -> new NotBegun(refused);
      case Done _ -> new Broken("the answer is no watch");
      case Unanswered(var why) -> new Broken(why);
    };
  }
}
