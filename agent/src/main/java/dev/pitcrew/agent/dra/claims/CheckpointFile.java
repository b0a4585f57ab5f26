package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.Checkpoint;
import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `checkpoint.json` of the driver. A file that is damaged is set aside and never stops the driver:
/// what it had is prepared again when the kubelet asks, and no pod loses a device, since a running
/// container needs neither the file nor its CDI specification.
record CheckpointFile(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointFile.class);
  private static final String NAME = "checkpoint.json";

  /// One is enough to see what has happened, and no fault can fill the disk.
  private static final String DAMAGED = "checkpoint.json.damaged";

  /// What the file says of this boot.
  ///
  /// @param isOfThisBoot whether what lies beside it is, too
  /// @param isStored whether the file says it in the words of this driver
  record Loaded(Checkpoint checkpoint, boolean isOfThisBoot, boolean isStored) {}

  /// @param bootId of this boot
  Loaded load(String bootId) {
    var empty = new Checkpoint(bootId, Map.of());
    Path file = folder.resolve(NAME);
    try {
      return switch (Checkpoint.parse(Files.readString(file), bootId)) {
        case Checkpoint.Parsed.Usable(var found, boolean isCurrent) ->
            found.bootId().equals(bootId)
                ? new Loaded(found, true, isCurrent)
                : new Loaded(empty, false, false);
        case Checkpoint.Parsed.Damaged(var why) -> setAside(file, why, empty);
      };
    } catch (NoSuchFileException _) {
      return new Loaded(empty, true, false);
    } catch (MalformedInputException _) {
      return setAside(file, "it is not UTF-8", empty);
    } catch (IOException e) {
      return setAside(file, WholeFile.words(e), empty);
    }
  }

  private Loaded setAside(Path file, String why, Checkpoint empty) {
    Path aside = folder.resolve(DAMAGED);
    try {
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      LOG.atWarn().log("{} is damaged ({}); it is kept as {}", file, why, aside);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} is damaged ({}); it is written again", file, why);
    }
    return new Loaded(empty, true, false);
  }

  void store(Checkpoint checkpoint) throws IOException {
    WholeFile.replace(folder.resolve(NAME), checkpoint.text());
  }
}
