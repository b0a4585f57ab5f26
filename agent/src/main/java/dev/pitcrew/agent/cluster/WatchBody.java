package dev.pitcrew.agent.cluster;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;

/// What follows the head of the answer to a watch.
sealed interface WatchBody {
  int HTTP_OK = 200;

  /// The watch has begun.
  record Begun(WatchLines lines) implements WatchBody {}

  /// There is no watch.
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  record Refusal(byte[] body) implements WatchBody {}

  BodyHandler<WatchBody> HANDLER =
      head -> head.statusCode() == HTTP_OK ? new WatchLines() : refusal();

  private static BodySubscriber<WatchBody> refusal() {
    return BodySubscribers.mapping(
        BodySubscribers.limiting(BodySubscribers.ofByteArray(), ApiServer.LARGEST_ANSWER),
        Refusal::new);
  }
}
