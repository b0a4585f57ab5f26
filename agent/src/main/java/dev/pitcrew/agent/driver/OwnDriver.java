package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.host.HostShell;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Asks the host's own `nvidia-smi`, if there is one, for the version of the host's own driver.
record OwnDriver(DriverPlaces places, HostShell shell) {
  private static final String NAME = "nvidia-smi";
  private static final List<String> FOLDERS =
      List.of("/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/usr/local/bin/");

  /// An unhealthy GPU may keep it from ever answering.
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static final int TOO_LONG = 124;

  sealed interface Answer {
    record None() implements Answer {}

    record Version(String version) implements Answer {}

    record Silent(String words) implements Answer {}

    /// The version of the host's own driver, where it has one that answers.
    default Optional<String> driver() {
      return this instanceof Version(var version) ? Optional.of(version) : Optional.empty();
    }

    /// Why it is unknown whether the host has a driver.
    default Optional<String> silence() {
      return this instanceof Silent(var words) ? Optional.of(words) : Optional.empty();
    }
  }

  Answer ask() throws InterruptedException {
    if (isOfContainer() || !hasProgram()) {
      return new Answer.None();
    }
    var said =
        shell.run(LIMIT, List.of(NAME, "--query-gpu=driver_version", "--format=csv,noheader"));
    if (said.status() == TOO_LONG) {
      return new Answer.Silent(
          "the host has %s, and it does not answer within %d s: look at dmesg, and reboot the node"
              .formatted(NAME, LIMIT.toSeconds()));
    }
    return Stream.of(said)
        .filter(HostShell.Said::isGood)
        .flatMap(it -> it.output().lines())
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .findFirst()
        .<Answer>map(Answer.Version::new)
        .orElseGet(Answer.None::new);
  }

  /// The driver that a container has loaded also answers a program of the host, if their versions
  /// match. What containers write there is in memory, so that it belongs to this boot.
  private boolean isOfContainer() {
    return HostObservation.modules(places.root()).hasDriver()
        && Stream.of(places.digestFile(), places.processFile()).anyMatch(Files::exists);
  }

  private boolean hasProgram() {
    return FOLDERS.stream()
        .anyMatch(folder -> Files.isExecutable(places.host().place(folder + NAME)));
  }
}
