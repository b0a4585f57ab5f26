package dev.pitcrew.kube.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Moves the fields that former managers set by update to our apply entry, so that our next apply
/// removes those that we do not want. Without it they would stay for ever: server-side apply leaves
/// alone what another manager owns.
///
/// @param formerManagers the names under which the software that we replace wrote
record Takeover(FieldManager manager, Set<String> formerManagers) {

  /// Whether the object has entries to move; needs no field sets, so that a slimmed object of a
  /// cache will do.
  boolean concerns(HasMetadata live) {
    return live.getMetadata().getManagedFields().stream().anyMatch(this::isFormer);
  }

  /// The JSON patch that moves them, or nothing when there are none.
  Optional<String> patchFor(JsonNode object) {
    JsonNode metadata = object.path("metadata");
    var kept = JsonNodeFactory.instance.arrayNode();
    Map<String, ObjectNode> ours =
        new LinkedHashMap<>(); // by API version, in whose terms field sets are written
    boolean found = false;
    for (JsonNode entry : metadata.path("managedFields")) {
      found |= isFormer(entry);
      if (isFormer(entry) || isOurs(entry)) {
        ours.merge(entry.path("apiVersion").asText(), asOurs(entry), Takeover::union);
      } else {
        kept.add(entry);
      }
    }
    kept.addAll(ours.values());
    return found ? Optional.of(patch(metadata.path("resourceVersion"), kept)) : Optional.empty();
  }

  private ObjectNode asOurs(JsonNode entry) {
    ObjectNode ours = entry.deepCopy();
    return ours.put("manager", manager.name()).put("operation", "Apply");
  }

  private static ObjectNode union(ObjectNode into, JsonNode from) {
    for (Map.Entry<String, JsonNode> field : from.properties()) {
      if (into.path(field.getKey()) instanceof ObjectNode both) {
        union(both, field.getValue());
      } else {
        into.set(field.getKey(), field.getValue());
      }
    }
    return into;
  }

  private static String patch(JsonNode resourceVersion, ArrayNode managedFields) {
    var patch = JsonNodeFactory.instance.arrayNode();
    operation(patch, "test", "/metadata/resourceVersion").set("value", resourceVersion);
    operation(patch, "replace", "/metadata/managedFields").set("value", managedFields);
    return patch.toString();
  }

  private static ObjectNode operation(ArrayNode patch, String operation, String path) {
    return patch.addObject().put("op", operation).put("path", path);
  }

  private boolean isFormer(ManagedFieldsEntry entry) {
    boolean main = entry.getSubresource() == null || entry.getSubresource().isEmpty();
    return main
        && "Update".equals(entry.getOperation())
        && formerManagers.contains(entry.getManager());
  }

  private boolean isFormer(JsonNode entry) {
    return isMain(entry)
        && entry.path("operation").asText().equals("Update")
        && formerManagers.contains(entry.path("manager").asText());
  }

  private boolean isOurs(JsonNode entry) {
    return isMain(entry)
        && entry.path("operation").asText().equals("Apply")
        && entry.path("manager").asText().equals(manager.name());
  }

  private static boolean isMain(JsonNode entry) {
    return entry.path("subresource").asText().isEmpty();
  }
}
