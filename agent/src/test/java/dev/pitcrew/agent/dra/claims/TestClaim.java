package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import java.util.List;

/// Claims as the API server shows them after they were allocated.
public final class TestClaim {
  private TestClaim() {}

  /// @param fact of the form of the facts: name, devices, config
  public static ClaimObject of(JsonNode fact, String uid) {
    ObjectNode object = Facts.MAPPER.createObjectNode();
    object
        .putObject("metadata")
        .put("namespace", fact.path("ns").asText("team"))
        .put("name", fact.path("name").asText())
        .put("uid", uid);
    ObjectNode allocation = object.putObject("status").putObject("allocation");
    ObjectNode devices = allocation.putObject("devices");
    ArrayNode results = devices.putArray("results");
    fact.path("devices").forEach(device -> results.add(result(device)));
    if (fact.has("config")) {
      ArrayNode config = devices.putArray("config");
      fact.path("config").forEach(entry -> config.add(entry(entry)));
    }
    ObjectNode field =
        allocation
            .putObject("nodeSelector")
            .putArray("nodeSelectorTerms")
            .addObject()
            .putArray("matchFields")
            .addObject()
            .put("key", "metadata.name")
            .put("operator", "In");
    field.putArray("values").add(TestNode.NAME);
    return switch (ClaimObject.of(object)) {
      case ClaimObject.Reading.Valid(var claim) -> claim;
      case ClaimObject.Reading.Invalid(var reason) -> throw new AssertionError(reason);
    };
  }

  private static ObjectNode result(JsonNode device) {
    ObjectNode result =
        Facts.MAPPER
            .createObjectNode()
            .put("request", device.path("request").asText())
            .put("driver", device.path("driver").asText("gpu.nvidia.com"))
            .put("pool", device.path("pool").asText(TestNode.NAME))
            .put("device", device.path("device").asText());
    for (String field : List.of("shareID", "consumedCapacity")) {
      if (device.has(field)) {
        result.set(field, device.path(field));
      }
    }
    if (device.path("adminAccess").asBoolean()) {
      result.put("adminAccess", true);
    }
    return result;
  }

  private static ObjectNode entry(JsonNode fact) {
    ObjectNode entry = Facts.MAPPER.createObjectNode().put("source", fact.path("source").asText());
    if (fact.has("requests")) {
      entry.set("requests", fact.path("requests"));
    }
    entry
        .putObject("opaque")
        .put("driver", fact.path("driver").asText())
        .set("parameters", fact.path("parameters"));
    return entry;
  }

  /// A claim with a share of the memory of a device for one request `r`.
  static ClaimObject shareOf(String uid, String device, String memory, String settings) {
    ObjectNode fact = Facts.MAPPER.createObjectNode().put("name", "c-" + uid);
    fact.putArray("devices")
        .addObject()
        .put("request", "r")
        .put("device", device)
        .put("shareID", "share-of-" + uid)
        .putObject("consumedCapacity")
        .put("memory", memory);
    return of(withSettings(fact, settings), uid);
  }

  /// A claim with one request `r` for one device and, where it is not empty, settings.
  static ClaimObject of(String uid, String device, String settings, boolean isAdmin) {
    ObjectNode fact = Facts.MAPPER.createObjectNode().put("name", "c-" + uid);
    fact.putArray("devices")
        .addObject()
        .put("request", "r")
        .put("device", device)
        .put("adminAccess", isAdmin);
    return of(withSettings(fact, settings), uid);
  }

  private static ObjectNode withSettings(ObjectNode fact, String settings) {
    if (!settings.isEmpty()) {
      fact.putArray("config")
          .addObject()
          .put("source", "FromClaim")
          .put("driver", "gpu.nvidia.com")
          .set("parameters", Facts.parse(settings));
    }
    return fact;
  }

  /// Half of the threads, and 10 GiB for each client.
  static final String MPS =
      """
      {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig",
       "sharing": {"strategy": "MPS", "mpsConfig":
         {"defaultActiveThreadPercentage": 50, "defaultPinnedDeviceMemoryLimit": "10Gi"}}}\
      """;

  static final String MIG_MPS =
      """
      {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "MigDeviceConfig",
       "sharing": {"strategy": "MPS"}}\
      """;

  static final String LONG_SLICE =
      """
      {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig",
       "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}}}\
      """;
}
