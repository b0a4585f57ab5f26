package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The state before an unfinished change. It outlives the process, so that the successor of a
/// killed process can still roll back.
public final class Journal {
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
  private static final String NAME = "mig-before-change.json";

  private final Path file;

  /// @param folder of the node's state, such as `/var/lib/pitcrew`
  public Journal(Path folder) {
    file = folder.resolve(NAME);
  }

  /// What there was before a change that has not ended.
  Optional<Checkpoint> read() {
    try {
      return CheckpointText.parse(Files.readString(file));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be read; going on without it", file);
      return Optional.empty();
    }
  }

  /// The GPUs of a change that has not ended, by UUID; none where all is at an end.
  public List<String> unfinished() {
    return read().stream()
        .flatMap(before -> before.devices().stream())
        .map(Checkpoint.Device::uuid)
        .toList();
  }

  /// Before the first effect.
  ///
  /// @return why it cannot be kept
  Optional<String> begin(Checkpoint before) {
    try {
      WholeFile.replace(file, CheckpointText.of(before));
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be written: %s".formatted(file, WholeFile.words(e)));
    }
  }

  /// Forgets a change of an earlier process, for a caller that has its own journal of what to undo.
  public void discard() {
    end();
  }

  /// The change is over, one way or the other.
  void end() {
    try {
      WholeFile.remove(file);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be removed", file);
    }
  }
}
