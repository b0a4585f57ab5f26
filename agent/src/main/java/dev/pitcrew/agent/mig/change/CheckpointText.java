package dev.pitcrew.agent.mig.change;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.mig.change.Checkpoint.Device;
import dev.pitcrew.agent.mig.change.Checkpoint.Instance;
import dev.pitcrew.device.mig.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Checkpoints as NVIDIA's mig-parted writes them, version v1.
public final class CheckpointText {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String VERSION = "Version";
  private static final String STATE = "MigState";
  private static final String DEVICES = "Devices";
  private static final String UUID = "UUID";
  private static final String MODE = "MigMode";
  private static final String INSTANCES = "GpuInstances";
  private static final String PROFILE = "ProfileID";
  private static final String PLACEMENT = "Placement";
  private static final String START = "Start";
  private static final String SIZE = "Size";
  private static final String COMPUTES = "ComputeInstances";
  private static final String ENGINES = "EngProfileID";

  private CheckpointText() {}

  public static String of(Checkpoint checkpoint) {
    var root = MAPPER.createObjectNode().put(VERSION, "v1");
    ArrayNode devices = root.putObject(STATE).putArray(DEVICES);
    checkpoint.devices().forEach(device -> write(device, devices.addObject()));
    return root.toString();
  }

  private static void write(Device device, ObjectNode into) {
    into.put(UUID, device.uuid()).put(MODE, device.isEnabled() ? 1 : 0);
    if (device.instances().isEmpty()) {
      into.putNull(INSTANCES);
      return;
    }
    ArrayNode instances = into.putArray(INSTANCES);
    for (Instance instance : device.instances()) {
      ObjectNode one = instances.addObject().put(PROFILE, instance.profile());
      one.putObject(PLACEMENT)
          .put(START, instance.place().start())
          .put(SIZE, instance.place().size());
      if (instance.computes().isEmpty()) {
        one.putNull(COMPUTES);
      } else {
        ArrayNode computes = one.putArray(COMPUTES);
        instance
            .computes()
            .forEach(compute -> computes.addObject().put(PROFILE, compute).put(ENGINES, 0));
      }
    }
  }

  /// Empty where the text is no checkpoint of this version.
  public static Optional<Checkpoint> parse(String text) {
    try {
      JsonNode root = MAPPER.readTree(text);
      if (root == null || !root.path(VERSION).asText().equals("v1")) {
        return Optional.empty();
      }
      var devices = new ArrayList<Device>();
      root.path(STATE).path(DEVICES).forEach(device -> devices.add(device(device)));
      return Optional.of(new Checkpoint(devices, false));
    } catch (JsonProcessingException _) {
      return Optional.empty();
    }
  }

  private static Device device(JsonNode device) {
    var instances = new ArrayList<Instance>();
    device.path(INSTANCES).forEach(instance -> instances.add(instance(instance)));
    return new Device(device.path(UUID).asText(), device.path(MODE).asInt() == 1, instances);
  }

  private static Instance instance(JsonNode instance) {
    List<Integer> computes = new ArrayList<>();
    instance.path(COMPUTES).forEach(compute -> computes.add(compute.path(PROFILE).asInt()));
    JsonNode place = instance.path(PLACEMENT);
    return new Instance(
        instance.path(PROFILE).asInt(),
        new Placement(place.path(START).asInt(), place.path(SIZE).asInt()),
        computes);
  }
}
