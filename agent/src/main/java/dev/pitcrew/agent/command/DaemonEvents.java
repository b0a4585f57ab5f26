package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.mps.ControlProbe;
import dev.pitcrew.agent.mps.DaemonMarks;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices by their files that MPS daemons start or end; only a daemon itself reports that it runs.
final class DaemonEvents implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonEvents.class);

  private final Runnable onEvent;
  private Optional<FolderEvents> events = Optional.empty();

  DaemonEvents(Runnable onEvent) {
    this.onEvent = onEvent;
  }

  /// From now on those of this configuration.
  void follow(AgentConfig config) {
    close();
    List<Names> names =
        config.sharing().resources().stream()
            .map(SharedResource::offeredAs)
            .distinct()
            .map(resource -> Path.of(ControlProbe.ROOT, resource))
            .flatMap(folder ->
                Stream.of(
                    new Names(folder, DaemonMarks.STARTED),
                    new Names(folder.resolve("pipe"), "control")))
            .toList();
    if (config.sharesByMps()) {
      watch(names);
    }
  }

  private void watch(List<Names> names) {
    try {
      events = Optional.of(FolderEvents.of(names, onEvent));
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("MPS daemons are asked from time to time only");
    }
  }

  @Override
  public void close() {
    try {
      if (events.isPresent()) {
        events.get().close();
      }
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("a watch did not end well");
    }
    events = Optional.empty();
  }
}
