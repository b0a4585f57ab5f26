package dev.pitcrew.agent.gpu;

import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.node.DriverRelease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The file in which the agent reports that it has released the driver. It may outlive the agent
/// that wrote it, which is still true: an agent that has ended holds no driver.
public final class DriverReleaseFile {
  private static final Logger LOG = LoggerFactory.getLogger(DriverReleaseFile.class);

  /// The labels of a Node fit many times.
  private static final int MOST_BYTES = 1 << 20;

  private final Path file;

  /// @param folder that programs watch for the file
  public DriverReleaseFile(Path folder) {
    this.file = folder.resolve(DriverRelease.FILE);
  }

  /// What it says; empty where it is not there or cannot be understood.
  public Optional<DriverRelease> read() {
    return text().flatMap(DriverReleaseFile::parsed);
  }

  /// Writes it, unless it says that already.
  ///
  /// @return why it could not be written; empty if it is there
  public Optional<String> write(DriverRelease release) {
    String wanted = ApiJson.write(release) + "\n";
    if (text().equals(Optional.of(wanted))) {
      return Optional.empty();
    }
    try {
      WholeFile.replace(file, wanted);
      LOG.atInfo().log("NVML is closed; {} says so", file);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "%s cannot be written (%s): make room or make it writable"
              .formatted(file, WholeFile.words(e)));
    }
  }

  /// Removes the file.
  ///
  /// @return why it could not be removed; empty if it is gone
  Optional<String> remove() {
    try {
      if (WholeFile.remove(file)) {
        LOG.atInfo().log("{} is removed; NVML may be opened", file);
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be removed (%s): remove it".formatted(file, e));
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }

  private Optional<String> text() {
    try {
      return Files.size(file) > MOST_BYTES ? Optional.empty() : Optional.of(Files.readString(file));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      LOG.atWarn().log("{} cannot be read: {}", file, e.toString());
      return Optional.empty();
    }
  }

  private static Optional<DriverRelease> parsed(String text) {
    try {
      return Optional.of(ApiJson.read(text, DriverRelease.class));
    } catch (UnreadableResource _) {
      return Optional.empty();
    }
  }
}
