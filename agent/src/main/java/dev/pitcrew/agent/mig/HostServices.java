package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Services of the host that have GPUs open, stopped temporarily. The record of those that ran is
/// written before the first is stopped, and kept until all run again: the successor of a killed
/// agent starts them.
final class HostServices {
  private static final Logger LOG = LoggerFactory.getLogger(HostServices.class);
  private static final String NAME = "mig-stopped-services";
  private static final String SYSTEMCTL = "systemctl";
  private static final Duration TO_REPORT = Duration.ofSeconds(10);
  private static final Duration TO_STOP = Duration.ofSeconds(30);
  private static final Duration TO_START = Duration.ofMinutes(2);

  /// As a shell says it.
  private static final int INTERRUPTED = 130;

  /// For what does not start.
  private static final Duration BETWEEN_TRIES = Duration.ofMinutes(1);

  private final Path file;
  private final HostShell shell;
  private Optional<Down> down = Optional.empty();

  /// @param until when it is not tried again
  private record Down(String reason, Instant until) {}

  /// @param state the folder of what outlives the process
  HostServices(Path state, HostShell shell) {
    this.file = state.resolve(NAME);
    this.shell = shell;
  }

  /// Stops those that run, one after the other. A host without systemd has none.
  ///
  /// @return which one runs on, and why; whatever was stopped is then still to be started
  Optional<String> stop(List<String> services) {
    List<String> running = running(services);
    if (running.isEmpty()) {
      return Optional.empty();
    }
    try {
      WholeFile.replace(file, String.join("\n", running.reversed()) + "\n");
    } catch (IOException e) {
      return Optional.of("%s cannot be written: %s".formatted(file, WholeFile.words(e)));
    }
    for (String service : running) {
      HostShell.Said said = run(TO_STOP, List.of(SYSTEMCTL, "stop", service));
      if (!said.isGood()) {
        return Optional.of("systemctl stop %s: %s".formatted(service, said.lastOutput()));
      }
      LOG.atInfo().log("{} was stopped", service);
    }
    return Optional.empty();
  }

  /// `systemctl is-active` says a line for each, in their order.
  private List<String> running(List<String> services) {
    if (services.isEmpty()) {
      return List.of();
    }
    var command = new ArrayList<>(List.of(SYSTEMCTL, "is-active"));
    command.addAll(services);
    List<String> states = run(TO_REPORT, command).output().lines().toList();
    var running = new ArrayList<String>();
    for (int i = 0; i < Math.min(services.size(), states.size()); i++) {
      if (List.of("active", "activating", "reloading").contains(states.get(i))) {
        running.add(services.get(i));
      }
    }
    return running;
  }

  /// Starts all that were stopped, in the reverse order. Another is tried where one does not start,
  /// and those that did not are tried again after a while, whenever this is called.
  ///
  /// @return which do not run, and why
  Optional<String> start(Instant now) {
    if (down.filter(it -> now.isBefore(it.until())).isPresent()) {
      return down.map(Down::reason);
    }
    // The services are started again even if the agent is being stopped.
    boolean isEnding = Thread.interrupted();
    down = startEach(now);
    if (isEnding) {
      Thread.currentThread().interrupt();
    }
    return down.map(Down::reason);
  }

  private Optional<Down> startEach(Instant now) {
    var left = new ArrayList<String>();
    var problems = new ArrayList<String>();
    for (String service : stopped()) {
      HostShell.Said said = run(TO_START, List.of(SYSTEMCTL, "start", service));
      if (said.isGood()) {
        LOG.atInfo().log("{} was started", service);
      } else {
        left.add(service);
        problems.add("systemctl start %s: %s".formatted(service, said.lastOutput()));
      }
    }
    keep(left);
    String reason = String.join("; ", problems);
    if (!left.isEmpty()) {
      LOG.atWarn().log("services of the host do not run: {}", reason);
    }
    return left.isEmpty()
        ? Optional.empty()
        : Optional.of(new Down(reason, now.plus(BETWEEN_TRIES)));
  }

  private HostShell.Said run(Duration limit, List<String> command) {
    try {
      return shell.run(limit, command);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new HostShell.Said(INTERRUPTED, "", "interrupted while it ran");
    }
  }

  private List<String> stopped() {
    try {
      return Files.readAllLines(file).stream().filter(line -> !line.isBlank()).toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      LOG.atWarn()
          .setCause(e)
          .log("{} cannot be read; the stopped services are not started again", file);
      return List.of();
    }
  }

  private void keep(List<String> left) {
    try {
      if (left.isEmpty()) {
        WholeFile.remove(file);
      } else {
        WholeFile.replace(file, String.join("\n", left) + "\n");
      }
    } catch (IOException e) {
      // They are started once more than needed.
      LOG.atWarn().setCause(e).log("{} cannot be written", file);
    }
  }
}
