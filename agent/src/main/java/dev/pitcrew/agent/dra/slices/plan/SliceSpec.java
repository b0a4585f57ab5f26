package dev.pitcrew.agent.dra.slices.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.dra.Attribute;
import dev.pitcrew.device.dra.CounterSet;
import dev.pitcrew.device.dra.DeviceTaint;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SharedCapacity;
import dev.pitcrew.device.dra.SliceDevice;
import java.util.ArrayList;
import java.util.List;

/// The `spec` of a ResourceSlice as JSON of resource.k8s.io/v1, without the generation and the
/// number of the slices of its pool: what two slices are compared by.
final class SliceSpec {
  /// Which the API server sets where it is missing.
  static final String TIME_OF_TAINT = "timeAdded";

  private SliceSpec() {}

  static ObjectNode of(ResourcePool pool, ResourcePool.Slice slice) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.put("driver", pool.driver()).put("nodeName", pool.node());
    spec.putObject("pool").put("name", pool.node());
    if (!slice.devices().isEmpty()) {
      ArrayNode array = spec.putArray("devices");
      slice.devices().forEach(device -> array.add(device(device)));
    }
    if (!slice.counters().isEmpty()) {
      ArrayNode sets = spec.putArray("sharedCounters");
      slice.counters().forEach(set -> sets.add(counters("name", set)));
    }
    return spec;
  }

  /// @param nameField where the name of the set stands
  private static ObjectNode counters(String nameField, CounterSet set) {
    ObjectNode object = JsonNodeFactory.instance.objectNode().put(nameField, set.name());
    ObjectNode counters = object.putObject("counters");
    set.counters().forEach((name, amount) -> counters.putObject(name).put("value", amount.text()));
    return object;
  }

  /// Of a slice that the server has. What is empty or absent is the same there, and the server adds
  /// the time of a taint.
  static ObjectNode live(JsonNode slice) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    if (slice.path("spec") instanceof ObjectNode found) {
      spec.setAll(found.deepCopy());
    }
    if (spec.path("pool") instanceof ObjectNode pool) {
      pool.remove(List.of("generation", "resourceSliceCount"));
    }
    for (JsonNode device : spec.path("devices")) {
      device.path("taints").forEach(taint -> ((ObjectNode) taint).remove(TIME_OF_TAINT));
    }
    prune(spec);
    return spec;
  }

  private static ObjectNode device(SliceDevice device) {
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("name", device.name());
    if (!device.attributes().isEmpty()) {
      ObjectNode attributes = object.putObject("attributes");
      device.attributes().forEach((name, value) -> attributes.set(name, attribute(value)));
    }
    ObjectNode capacity = JsonNodeFactory.instance.objectNode();
    device
        .capacity()
        .forEach((name, amount) -> capacity.putObject(name).put("value", amount.text()));
    device
        .shared()
        .ifPresent(shared -> {
          object.put("allowMultipleAllocations", true);
          shared.forEach((name, amount) -> capacity.set(name, shared(amount)));
        });
    if (!capacity.isEmpty()) {
      object.set("capacity", capacity);
    }
    if (!device.consumes().isEmpty()) {
      ArrayNode consumes = object.putArray("consumesCounters");
      device.consumes().forEach(set -> consumes.add(counters("counterSet", set)));
    }
    if (!device.taints().isEmpty()) {
      ArrayNode taints = object.putArray("taints");
      device.taints().forEach(taint -> taints.add(taint(taint)));
    }
    return object;
  }

  private static ObjectNode shared(SharedCapacity capacity) {
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("value", capacity.all().text());
    ObjectNode policy = object.putObject("requestPolicy");
    policy.put("default", capacity.byDefault().text());
    policy
        .putObject("validRange")
        .put("min", capacity.least().text())
        .put("max", capacity.all().text())
        .put("step", capacity.step().text());
    return object;
  }

  private static ObjectNode attribute(Attribute attribute) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    return switch (attribute) {
      case Attribute.Text(var value) -> object.put("string", value);
      case Attribute.Version(var value) -> object.put("version", value);
      case Attribute.Whole(long value) -> object.set("int", number(value));
      case Attribute.Flag(boolean value) -> object.put("bool", value);
    };
  }

  /// As a parser reads it: Jackson's nodes of different widths are not equal.
  private static JsonNode number(long value) {
    return value == (int) value ? IntNode.valueOf((int) value) : LongNode.valueOf(value);
  }

  private static ObjectNode taint(DeviceTaint taint) {
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("key", taint.key());
    if (!taint.value().isEmpty()) {
      object.put("value", taint.value());
    }
    return object.put("effect", taint.effect().text());
  }

  private static void prune(ObjectNode object) {
    var empty = new ArrayList<String>();
    object
        .properties()
        .forEach(field -> {
          if (field.getValue() instanceof ObjectNode inner) {
            prune(inner);
          }
          field
              .getValue()
              .valueStream()
              .filter(ObjectNode.class::isInstance)
              .forEach(element -> prune((ObjectNode) element));
          if (field.getValue().isNull()
              || (field.getValue().isContainerNode() && field.getValue().isEmpty())) {
            empty.add(field.getKey());
          }
        });
    object.remove(empty);
  }
}
