package dev.pitcrew.agent.node;

import static dev.pitcrew.agent.node.StoredFields.WORD;
import static dev.pitcrew.agent.node.StoredFields.amount;
import static dev.pitcrew.agent.node.StoredFields.count;
import static dev.pitcrew.agent.node.StoredFields.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigAttributes.Engines;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import java.util.Optional;

/// A MIG device and the shape of one as JSON and back.
final class MigText {
  private MigText() {}

  static ObjectNode write(MigProfile profile) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("computeSlices", profile.computeSlices())
        .put("gpuSlices", profile.gpuSlices())
        .put("gigabytes", profile.memoryGigabytes())
        .put("attribute", profile.attribute());
  }

  static MigProfile readProfile(JsonNode object) {
    return new MigProfile(
        count(object, "computeSlices"),
        count(object, "gpuSlices"),
        count(object, "gigabytes"),
        text(object, "attribute", WORD));
  }

  static ObjectNode write(MigDevice device) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("index", device.index()).put("uuid", device.uuid());
    object.put("gpuInstance", device.place().gpuInstance());
    object.put("computeInstance", device.place().computeInstance());
    object.set("profile", write(device.profile()));
    object.set("attributes", write(device.attributes()));
    object.put("memoryBytes", device.memoryBytes());
    device
        .capabilities()
        .ifPresent(files ->
            object
                .put("gpuInstanceMinor", files.gpuInstanceMinor())
                .put("computeInstanceMinor", files.computeInstanceMinor()));
    device
        .placement()
        .ifPresent(placement ->
            object
                .put("profileId", placement.profileId())
                .put("firstSlice", placement.start())
                .put("slices", placement.slices()));
    return object;
  }

  static MigDevice readDevice(JsonNode object) {
    return new MigDevice(
        count(object, "index"),
        text(object, "uuid", StoredFields.UUID),
        new MigPlace(count(object, "gpuInstance"), count(object, "computeInstance")),
        readProfile(object.path("profile")),
        readAttributes(object.path("attributes")),
        amount(object, "memoryBytes"),
        object.has("gpuInstanceMinor")
            ? Optional.of(
                new MigCapabilities(
                    count(object, "gpuInstanceMinor"), count(object, "computeInstanceMinor")))
            : Optional.empty(),
        readPlacement(object));
  }

  /// Earlier versions stored the first slice alone, from which no placement can be made.
  private static Optional<MigPlacement> readPlacement(JsonNode object) {
    return object.has("profileId")
        ? Optional.of(
            new MigPlacement(
                count(object, "profileId"), count(object, "firstSlice"), count(object, "slices")))
        : Optional.empty();
  }

  private static ObjectNode write(MigAttributes attributes) {
    Engines engines = attributes.engines();
    return JsonNodeFactory.instance
        .objectNode()
        .put("multiprocessors", attributes.multiprocessors())
        .put("gpuInstanceSlices", attributes.gpuInstanceSlices())
        .put("computeInstanceSlices", attributes.computeInstanceSlices())
        .put("copy", engines.copy())
        .put("decoder", engines.decoder())
        .put("encoder", engines.encoder())
        .put("jpeg", engines.jpeg())
        .put("ofa", engines.ofa())
        .put("memoryMiB", attributes.memoryMiB());
  }

  private static MigAttributes readAttributes(JsonNode object) {
    return new MigAttributes(
        count(object, "multiprocessors"),
        count(object, "gpuInstanceSlices"),
        count(object, "computeInstanceSlices"),
        new Engines(
            count(object, "copy"),
            count(object, "decoder"),
            count(object, "encoder"),
            count(object, "jpeg"),
            count(object, "ofa")),
        amount(object, "memoryMiB"));
  }
}
