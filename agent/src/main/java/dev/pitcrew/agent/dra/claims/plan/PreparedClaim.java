package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim.Result;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// A claim of the checkpoint. What another driver stored of its devices stays as it is.
///
/// @param isCompleted whether it is prepared; if not, its preparation has begun
/// @param status of the claim with its allocation
/// @param groups `preparedDevices`: the devices by the settings that are applied to them
/// @param name of the claim while it is not prepared, else empty
public record PreparedClaim(
    String uid,
    boolean isCompleted,
    JsonNode status,
    JsonNode groups,
    String name,
    String namespace) {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String COMPLETED = "PrepareCompleted";
  private static final String STARTED = "PrepareStarted";

  /// What the kubelet gets of a prepared device.
  public record Device(
      List<String> requests,
      String pool,
      String name,
      List<String> cdiIds,
      Optional<String> shareId) {
    public Device {
      requests = List.copyOf(requests);
      cdiIds = List.copyOf(cdiIds);
    }
  }

  public static PreparedClaim started(AllocatedClaim claim) {
    return new PreparedClaim(
        claim.uid(), false, claim.status(), NODES.arrayNode(), claim.name(), claim.namespace());
  }

  /// @param cdiKind of the CDI devices
  /// @param devices those of the results, in their order
  public static PreparedClaim completed(
      AllocatedClaim claim, String cdiKind, List<ClaimDevice> devices) {
    var groups = new TreeMap<Integer, ArrayNode>();
    for (int i = 0; i < devices.size(); i++) {
      Result result = claim.results().get(i);
      ClaimDevice device = devices.get(i);
      groups
          .computeIfAbsent(ClaimSettings.inForce(claim, result, device), _ -> NODES.arrayNode())
          .add(device(claim, cdiKind, result, device));
    }
    ArrayNode all = NODES.arrayNode();
    groups
        .values()
        .forEach(group -> {
          ObjectNode one = all.addObject();
          one.set("devices", group);
          one.putObject("configState").put("mpsControlDaemonID", "");
        });
    return new PreparedClaim(claim.uid(), true, claim.status(), all, "", "");
  }

  /// The name of a claim's device in its CDI specification.
  public static String cdiName(String uid, String device) {
    return uid + "-" + device;
  }

  private static ObjectNode device(
      AllocatedClaim claim, String cdiKind, Result result, ClaimDevice device) {
    ObjectNode given = NODES.objectNode();
    given.putArray("Requests").add(result.request());
    given.put("PoolName", result.pool()).put("DeviceName", result.device());
    given.putArray("CDIDeviceIDs").add(cdiKind + "=" + cdiName(claim.uid(), result.device()));
    result.shareId().ifPresent(id -> given.put("ShareID", id));
    ObjectNode one = NODES.objectNode();
    switch (device) {
      case ClaimDevice.WholeGpu(var gpu) -> {
        ObjectNode whole = one.putObject("gpu");
        whole.putObject("info").put("uuid", gpu.uuid());
        whole.set("device", given);
        one.putNull("mig");
      }
      case ClaimDevice.MigPart(var gpu, var part) -> {
        one.putNull("gpu");
        ObjectNode mig = one.putObject("mig");
        mig.putObject("concrete")
            .put("parentMinor", gpu.minor())
            .put("giId", part.place().gpuInstance())
            .put("ciId", part.place().computeInstance())
            .put("migUUID", part.uuid())
            .put("parentUUID", gpu.uuid());
        mig.set("device", given);
      }
    }
    return one;
  }

  static PreparedClaim read(String uid, JsonNode entry, boolean isCompleted) {
    return new PreparedClaim(
        uid,
        isCompleted || entry.path("checkpointState").asText().equals(COMPLETED),
        entry.path("status"),
        entry.path("preparedDevices").isArray() ? entry.path("preparedDevices") : NODES.arrayNode(),
        entry.path("name").asText(""),
        entry.path("namespace").asText(""));
  }

  /// What is answered while it is prepared.
  public List<Device> devices() {
    return elements(groups)
        .flatMap(group -> elements(group.path("devices")))
        .flatMap(one -> one.properties().stream())
        .map(kind -> kind.getValue().path("device"))
        .filter(JsonNode::isObject)
        .map(device ->
            new Device(
                elements(device.path("Requests")).map(JsonNode::asText).toList(),
                device.path("PoolName").asText(),
                device.path("DeviceName").asText(),
                elements(device.path("CDIDeviceIDs")).map(JsonNode::asText).toList(),
                Optional.of(device.path("ShareID").asText("")).filter(id -> !id.isEmpty())))
        .toList();
  }

  /// The names of the devices of this driver that it is allocated.
  public Set<String> names() {
    return results().map(result -> result.path("device").asText()).collect(Collectors.toSet());
  }

  /// Those of them that no other claim may hold.
  public Set<String> exclusive() {
    return results()
        .filter(result -> !result.path("adminAccess").asBoolean(false))
        .filter(result -> result.path("shareID").asText("").isEmpty())
        .map(result -> result.path("device").asText())
        .collect(Collectors.toSet());
  }

  private Stream<JsonNode> results() {
    return elements(status.at("/allocation/devices/results"))
        .filter(result -> result.path("driver").asText().equals(ClaimDevice.DRIVER));
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  ObjectNode v1() {
    ObjectNode entry = NODES.objectNode();
    entry.set("status", status);
    if (!groups.isEmpty()) {
      entry.set("preparedDevices", groups);
    }
    return entry;
  }

  ObjectNode v2() {
    ObjectNode entry = NODES.objectNode().put("checkpointState", isCompleted ? COMPLETED : STARTED);
    entry.setAll(v1());
    if (!name.isEmpty()) {
      entry.put("name", name).put("namespace", namespace);
    }
    return entry;
  }
}
