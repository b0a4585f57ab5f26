package dev.pitcrew.cli.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.cli.print.Documents;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/// Server-Sent Events: first the whole fleet, then what changes of it, at most twice a second.
/// Nothing is computed while no browser is connected.
final class EventStream {
  private static final Duration PAUSE = Duration.ofMillis(500);

  /// How soon it is noticed that a browser has gone.
  private static final Duration QUIET = Duration.ofSeconds(15);

  private final ConsoleModel model;
  private final Views views;

  EventStream(ConsoleModel model, Views views) {
    this.model = model;
    this.views = views;
  }

  /// Writes until the browser or the server has gone.
  void write(OutputStream browser) throws IOException {
    try {
      long version = model.awaitChange(-1, Duration.ZERO);
      FleetView shown = views.fleet();
      send(browser, "snapshot", shown);
      while (true) {
        Thread.sleep(PAUSE);
        long now = model.awaitChange(version, QUIET);
        if (now == version) {
          browser.write(":\n\n".getBytes(UTF_8));
          browser.flush();
        } else {
          version = now;
          FleetView fleet = views.fleet();
          send(browser, "change", fleet.since(shown));
          shown = fleet;
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(OutputStream browser, String event, FleetView fleet) throws IOException {
    browser.write(
        "event: %s\ndata: %s\n\n".formatted(event, Documents.line(fleet)).getBytes(UTF_8));
    browser.flush();
  }
}
