package dev.pitcrew.agent.node;

import static dev.pitcrew.agent.node.StoredFields.WORD;
import static dev.pitcrew.agent.node.StoredFields.count;
import static dev.pitcrew.agent.node.StoredFields.list;
import static dev.pitcrew.agent.node.StoredFields.text;
import static dev.pitcrew.agent.node.StoredFields.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot.WithDriver;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What the next agent of the node must know of the GPUs, as text and back: which there are, the
/// evidence against them, and under which boot and load of the driver that was seen. What a look at
/// the node shows again is left out, so that equal evidence is equal text.
public final class SnapshotText {
  private static final int VERSION = 1;
  private static final int MOST_GPUS = 64;

  private SnapshotText() {}

  public static String write(WithDriver snapshot, String bootId) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("version", VERSION).put("bootId", bootId);
    snapshot.unhealthy().driverLoad().ifPresent(load -> root.put("driverLoad", load));
    Inventory inventory = snapshot.gpus().inventory();
    DriverVersion driver = inventory.driver();
    root.put("driver", driver.driver());
    root.put("cudaMajor", driver.cudaMajor()).put("cudaMinor", driver.cudaMinor());
    var gpus = root.putArray("gpus");
    inventory.gpus().stream().limit(MOST_GPUS).map(GpuText::write).forEach(gpus::add);
    var lost = root.putArray("lost");
    new TreeSet<>(snapshot.gpus().lost()).forEach(lost::add);
    SignText.write(snapshot.unhealthy().signs(), root);
    LogText.write(snapshot.log(), root);
    return root + "\n";
  }

  /// @param bootId of the kernel that runs now
  /// @return empty where the text is of an earlier boot, which every GPU was reset by
  /// @throws IllegalArgumentException saying what of it was not written by [#write]
  public static Optional<WithDriver> read(String text, String bootId) {
    try {
      JsonNode root = ApiJson.read(text, JsonNode.class);
      if (count(root, "version") != VERSION) {
        throw StoredFields.refusal("version", root.path("version"));
      }
      boolean isOfThisBoot = !bootId.isEmpty() && text(root, "bootId", WORD).equals(bootId);
      return Optional.of(root).filter(_ -> isOfThisBoot).map(SnapshotText::snapshot);
    } catch (UnreadableResource | DateTimeException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static WithDriver snapshot(JsonNode root) {
    var inventory =
        new Inventory(
            new DriverVersion(
                text(root, "driver", WORD), count(root, "cudaMajor"), count(root, "cudaMinor")),
            list(root, "gpus", MOST_GPUS).stream().map(GpuText::read).toList(),
            List.of(),
            Topology.UNKNOWN);
    Set<String> lost = Set.copyOf(texts(root, "lost", MOST_GPUS, StoredFields.UUID));
    Map<String, String> unanswered =
        lost.stream()
            .collect(Collectors.toMap(Function.identity(), _ -> NvmlError.GPU_IS_LOST.meaning()));
    Optional<String> load =
        root.has("driverLoad") ? Optional.of(text(root, "driverLoad", WORD)) : Optional.empty();
    return new WithDriver(
        new KnownGpus(inventory, unanswered, lost),
        new UnhealthyDevices(SignText.read(root), unanswered, lost, load),
        Set.of(),
        LogText.read(root));
  }
}
