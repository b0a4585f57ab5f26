package dev.pitcrew.agent.dra.slices.plan;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// ResourceSlices as an API server would store them, without one: names and versions are given, and
/// writes with another version than the stored one are refused.
final class StoredSlices {
  private static final String NODE = "node-a";
  private static final String NODE_UID = "the-uid-of-the-node";

  private final List<ObjectNode> slices = new ArrayList<>();
  private int version;

  List<ObjectNode> slices() {
    return List.copyOf(slices);
  }

  List<String> names() {
    return slices.stream().map(slice -> slice.at("/metadata/name").asText()).toList();
  }

  List<Long> generations() {
    return slices.stream().map(slice -> slice.at("/spec/pool/generation").asLong()).toList();
  }

  /// The names of all devices, slice by slice.
  List<String> devices() {
    return slices.stream()
        .sorted(Comparator.comparing((ObjectNode slice) -> slice.at("/metadata/name").asText()))
        .flatMap(slice -> slice.at("/spec/devices").valueStream())
        .map(device -> device.path("name").asText())
        .toList();
  }

  SlicePlan plan(List<SliceDevice> wanted) {
    return plan(wanted, KeptSpecs.NONE);
  }

  SlicePlan plan(List<SliceDevice> wanted, KeptSpecs kept) {
    return SlicePlan.of(
        ResourcePool.of(ClaimDevice.DRIVER, NODE, wanted), NODE_UID, List.copyOf(slices), kept);
  }

  void publish(List<SliceDevice> wanted) {
    apply(plan(wanted));
  }

  void apply(SlicePlan plan) {
    apply(plan, plan.writes().size());
  }

  /// The first calls of a plan.
  void apply(SlicePlan plan, int calls) {
    plan.writes().stream().limit(calls).forEach(this::apply);
  }

  void edit(int slice, String pointer, JsonNode value) {
    var place = JsonPointer.compile(pointer);
    JsonNode parent = slices.get(slice).at(place.head());
    if (parent instanceof ArrayNode array) {
      array.set(place.last().getMatchingIndex(), value);
    } else {
      ((ObjectNode) parent).set(place.last().getMatchingProperty(), value);
    }
    stamp(slices.get(slice));
  }

  /// Another object with the same spec.
  ObjectNode copy(int slice, String name) {
    ObjectNode copy = slices.get(slice).deepCopy();
    ((ObjectNode) copy.path("metadata")).put("name", name).put("uid", "uid-of-" + name);
    stamp(copy);
    slices.add(copy);
    return copy;
  }

  void remove(int slice) {
    slices.remove(slice);
  }

  private void apply(SliceWrite write) {
    switch (write) {
      case SliceWrite.Create(var body) -> {
        ObjectNode created = body.deepCopy();
        ObjectNode metadata = (ObjectNode) created.path("metadata");
        stamp(created);
        metadata.put("name", metadata.path("generateName").asText() + "r" + version);
        metadata.put("uid", "uid-" + version);
        slices.add(created);
      }
      case SliceWrite.Update(var name, var body) -> {
        ObjectNode updated = body.deepCopy();
        slices.set(index(name, body.at("/metadata/resourceVersion").asText()), updated);
        stamp(updated);
      }
      case SliceWrite.Delete(var name, _, var expected) -> slices.remove(index(name, expected));
    }
  }

  private int index(String name, String expectedVersion) {
    int index = names().indexOf(name);
    String found = slices.get(index).at("/metadata/resourceVersion").asText();
    if (!found.equals(expectedVersion)) {
      throw new AssertionError("conflict: %s is %s".formatted(name, found));
    }
    return index;
  }

  private void stamp(ObjectNode slice) {
    version++;
    ((ObjectNode) slice.path("metadata")).put("resourceVersion", String.valueOf(version));
  }
}
