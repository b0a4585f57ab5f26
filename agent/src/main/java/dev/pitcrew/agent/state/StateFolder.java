package dev.pitcrew.agent.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent's folder on the node, such as `/var/lib/pitcrew`. A disk that is full or read-only
/// costs the memory of the next start, never the work of this one.
public final class StateFolder {
  private static final Logger LOG = LoggerFactory.getLogger(StateFolder.class);

  /// Nothing that is kept here is near as long.
  private static final int MOST_BYTES = 4 << 20;

  private final Path folder;
  private final Map<String, String> written = new HashMap<>();
  private final Set<String> unwritable = new HashSet<>();

  public StateFolder(Path folder) {
    this.folder = folder;
  }

  public Path path() {
    return folder;
  }

  /// What was kept last under this name; empty where that is nothing or cannot be read.
  public synchronized Optional<String> read(String name) {
    Path file = folder.resolve(name);
    try {
      if (Files.size(file) > MOST_BYTES) {
        LOG.atWarn().log("{} is too long to be the agent's; it is not read", file);
        return Optional.empty();
      }
      String text = Files.readString(file);
      written.put(name, text);
      return Optional.of(text);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException | UncheckedIOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be read; going on without it", file);
      return Optional.empty();
    }
  }

  /// Whether another program or user has removed this name. The next text is kept again.
  public synchronized boolean isRemoved(String name) {
    return Files.notExists(folder.resolve(name)) && written.remove(name) != null;
  }

  /// Keeps a text; the same again costs nothing.
  ///
  /// @return why it is not kept, and what to do; empty if it is
  public synchronized Optional<String> keep(String name, String text) {
    if (text.equals(written.get(name))) {
      return Optional.empty();
    }
    try {
      WholeFile.replace(folder.resolve(name), text);
      written.put(name, text);
      unwritable.remove(name);
      return Optional.empty();
    } catch (IOException e) {
      String problem =
          "%s cannot be written (%s): free space there or make it writable; until then the next agent would begin with what is there"
              .formatted(folder.resolve(name), WholeFile.words(e));
      if (unwritable.add(name)) {
        LOG.atWarn().log(problem);
      }
      return Optional.of(problem);
    }
  }
}
