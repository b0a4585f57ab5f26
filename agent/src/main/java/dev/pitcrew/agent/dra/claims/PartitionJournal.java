package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.device.inventory.MigPlacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The GPU instances that claims have made, by the UID of the claim, in `partitions.json` beside
/// the checkpoint. An entry is there before its instance and until after it, so that an instance
/// without an entry has another owner, and no process that was killed leaves one behind.
///
/// The checkpoint cannot say it: it has the format of NVIDIA's DRA driver, in which the entry of a
/// MIG device that was made for a claim is that of one that was there before.
///
/// A file of another boot is void, since no instance outlives a boot. A file that cannot be read is
/// void too: then the instances stay until an administrator destroys them.
final class PartitionJournal {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionJournal.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BOOT = "nodeBootID";
  private static final String CLAIMS = "claims";

  private final Path file;
  private final String bootId;
  private final ReentrantLock lock = new ReentrantLock();
  private TreeMap<String, List<OwnPartition>> claims = new TreeMap<>();

  private PartitionJournal(Path file, String bootId) {
    this.file = file;
    this.bootId = bootId;
  }

  static PartitionJournal open(Path file, String bootId) {
    var journal = new PartitionJournal(file, bootId);
    journal.load();
    return journal;
  }

  private void load() {
    try {
      JsonNode root = JSON.readTree(Files.readString(file));
      if (root.path(BOOT).asText().equals(bootId)) {
        root.path(CLAIMS)
            .properties()
            .forEach(claim ->
                claims.put(
                    claim.getKey(),
                    claim.getValue().valueStream().map(PartitionJournal::read).toList()));
      }
    } catch (NoSuchFileException _) {
      // No claim has made an instance yet.
    } catch (JsonProcessingException | IllegalArgumentException e) {
      claims.clear();
      LOG.atWarn()
          .setCause(e)
          .log("{} is damaged; GPU instances that it named are left as they are", file);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be read", file);
    }
  }

  private static OwnPartition read(JsonNode entry) {
    return new OwnPartition(
        entry.path("device").asText(),
        entry.path("gpu").asText(),
        entry.path("index").asInt(),
        new MigPlacement(
            entry.path("profile").asInt(-1),
            entry.path("start").asInt(-1),
            entry.path("slices").asInt()));
  }

  List<OwnPartition> of(String uid) {
    return all().getOrDefault(uid, List.of());
  }

  SortedMap<String, List<OwnPartition>> all() {
    lock.lock();
    try {
      return new TreeMap<>(claims);
    } finally {
      lock.unlock();
    }
  }

  /// @return why it is not kept; then the journal is as it was
  Optional<String> put(String uid, List<OwnPartition> partitions) {
    lock.lock();
    try {
      var next = new TreeMap<>(claims);
      if (partitions.isEmpty()) {
        next.remove(uid);
      } else {
        next.put(uid, List.copyOf(partitions));
      }
      if (next.equals(claims)) {
        return Optional.empty();
      }
      WholeFile.replace(file, text(next));
      claims = next;
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "%s cannot be written (%s): free space in %s or make it writable"
              .formatted(file, WholeFile.words(e), file.getParent()));
    } finally {
      lock.unlock();
    }
  }

  private String text(SortedMap<String, List<OwnPartition>> all) {
    ObjectNode root = JsonNodeFactory.instance.objectNode().put(BOOT, bootId);
    ObjectNode object = root.putObject(CLAIMS);
    all.forEach((uid, partitions) -> {
      ArrayNode entries = object.putArray(uid);
      for (OwnPartition partition : partitions) {
        entries
            .addObject()
            .put("device", partition.device())
            .put("gpu", partition.gpu())
            .put("index", partition.index())
            .put("profile", partition.placement().profileId())
            .put("start", partition.placement().start())
            .put("slices", partition.placement().slices());
      }
    });
    return root.toString();
  }
}
