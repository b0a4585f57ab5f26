package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// What a watch has published: the value of a ConfigMap, or `-`.
final class Seen implements Consumer<WatchedObject> {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LinkedBlockingQueue<WatchedObject> published = new LinkedBlockingQueue<>();

  @Override
  public void accept(WatchedObject sighting) {
    published.add(sighting);
  }

  /// Waits for each, one after the other, and for nothing between them.
  void expect(String... sightings) throws InterruptedException {
    for (String sighting : sightings) {
      assertThat(words(next())).isEqualTo(sighting);
    }
  }

  WatchedObject next() throws InterruptedException {
    WatchedObject next = published.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(next).as("published within %s", LIMIT).isNotNull();
    return next;
  }

  List<String> rest() {
    return published.stream().map(Seen::words).toList();
  }

  private static String words(WatchedObject sighting) {
    return switch (sighting) {
      case WatchedObject.Absent() -> "-";
      case WatchedObject.Present(var object) -> object.at("/data/value").asText();
    };
  }
}
