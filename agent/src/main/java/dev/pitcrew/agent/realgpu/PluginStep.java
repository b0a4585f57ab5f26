package dev.pitcrew.agent.realgpu;

import dev.pitcrew.agent.realgpu.StandInKubelet.Offer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The device plugin behind a stand-in of a kubelet, in folders of its own.
record PluginStep(Programs programs) {
  private static final String NAME = "plugin";
  private static final String TITLE = "The device plugin behind a stand-in of a kubelet";

  /// Without a persistence daemon the driver wakes every GPU first, some seconds each.
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /// A divided GPU has several resources, which come at once.
  private static final Duration BETWEEN_RESOURCES = Duration.ofSeconds(2);

  private static final Duration GRACE = Duration.ofSeconds(20);

  Section run() throws IOException, InterruptedException {
    // Not below the folder of the outputs: the path of a socket has 107 bytes.
    var sockets = Files.createTempDirectory("kubelet");
    var cdi = Files.createDirectory(programs.folder().resolve("cdi"));
    var log = programs.folder().resolve("plugin.log");
    var words = new ArrayList<>(List.of(NAME, "--kubelet-dir=" + sockets, "--cdi-dir=" + cdi));
    words.addAll(programs.places());
    try (var kubelet = new StandInKubelet(sockets)) {
      var process = programs.start(words, log);
      try {
        var offers = offers(kubelet);
        int status = Programs.stop(process, GRACE);
        return section(offers, status, Programs.text(log));
      } finally {
        process.destroyForcibly();
      }
    } finally {
      Folders.delete(sockets);
    }
  }

  private static List<Offer> offers(StandInKubelet kubelet) throws InterruptedException {
    var offers = new ArrayList<Offer>();
    Optional<Offer> next = kubelet.next(TIMEOUT);
    while (next.isPresent()) {
      offers.add(next.get());
      next = kubelet.next(BETWEEN_RESOURCES);
    }
    return offers;
  }

  private static Section section(List<Offer> offers, int status, String log) {
    var lines = new ArrayList<String>();
    for (var offer : offers) {
      lines.add(
          "%s (device plugin API %s): %d devices %s"
              .formatted(
                  offer.resource(), offer.version(), offer.devices().size(), offer.failure()));
      offer
          .devices()
          .forEach(device -> lines.add("  %s %s".formatted(device.getID(), device.getHealth())));
      lines.add("  one of them gives a container:");
      offer.allocation().lines().forEach(line -> lines.add("    " + line));
    }
    lines.add("it ended with exit code %d when it was stopped".formatted(status));
    log.lines().forEach(line -> lines.add("  " + line));
    var failure =
        offers.isEmpty()
            ? "the plugin registered no resource within %d s".formatted(TIMEOUT.toSeconds())
            : "";
    return new Section(NAME, TITLE, failure, lines, facts(offers, status));
  }

  private static Map<String, Object> facts(List<Offer> offers, int status) {
    return Map.of(
        "exitCode",
        status,
        "resources",
        offers.stream()
            .map(offer ->
                Map.of(
                    "name", offer.resource(),
                    "version", offer.version(),
                    "failure", offer.failure(),
                    "devices",
                        offer.devices().stream()
                            .map(it -> Map.of("id", it.getID(), "health", it.getHealth()))
                            .toList(),
                    "allocation", offer.allocation()))
            .toList());
  }
}
