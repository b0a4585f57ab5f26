package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.agent.driver.plan.StuckDriver;
import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Remembers, as long as the kernel runs, that the driver cannot be unloaded.
record StuckDriverFile(Path file) {
  private static final Logger LOG = LoggerFactory.getLogger(StuckDriverFile.class);
  private static final JsonMapper JSON = new JsonMapper();

  /// Empty where nothing is remembered, or nothing that can be understood.
  Optional<StuckDriver> read() {
    try {
      return Files.exists(file)
          ? Optional.of(JSON.readValue(Files.readString(file), StuckDriver.class))
          : Optional.empty();
    } catch (IOException e) {
      LOG.atWarn().log("{} is not understood and does not count: {}", file, e.toString());
      return Optional.empty();
    }
  }

  /// Without it the next try only takes longer.
  void write(StuckDriver stuckDriver) {
    try {
      WholeFile.replaceForAll(file, JSON.writeValueAsString(stuckDriver) + "\n");
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a record is always JSON", e);
    } catch (IOException e) {
      LOG.atWarn().log("{} cannot be written: {}", file, WholeFile.words(e));
    }
  }

  void remove() {
    try {
      WholeFile.remove(file);
    } catch (IOException e) {
      LOG.atWarn().log("{} cannot be removed: {}", file, e.toString());
    }
  }
}
