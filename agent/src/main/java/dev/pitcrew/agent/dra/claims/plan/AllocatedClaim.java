package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What of a ResourceClaim (`resource.k8s.io/v1`) concerns this driver on this node.
///
/// @param status of the claim with its allocation, as the API server has it
/// @param results the devices of this driver, in the order of the allocation; never empty
/// @param settings those for this driver: the class's first, then the claim's, so that the last one
///   that fits is in force
public record AllocatedClaim(
    String namespace,
    String name,
    String uid,
    JsonNode status,
    List<Result> results,
    List<Setting> settings) {
  public AllocatedClaim {
    results = List.copyOf(results);
    settings = List.copyOf(settings);
  }

  /// A device that the claim is allocated.
  ///
  /// @param request the name of the request, of a sub-request that of the request that it is in
  /// @param subrequest the name as the allocation has it
  /// @param isAdmin whether the claim looks at a device that others may hold
  public record Result(
      String request,
      String subrequest,
      String pool,
      String device,
      Optional<String> shareId,
      boolean isAdmin) {}

  /// Parameters for devices.
  ///
  /// @param field where the claim has them
  /// @param requests that they are for; empty for all
  public record Setting(String field, List<String> requests, JsonNode parameters) {
    public Setting {
      requests = List.copyOf(requests);
    }

    /// Whether they are named for the request of a device.
    boolean names(Result result) {
      return requests.contains(result.request()) || requests.contains(result.subrequest());
    }
  }

  /// What was read.
  public sealed interface Read {
    record Allocated(AllocatedClaim claim) implements Read {}

    record Refused(String reason) implements Read {}
  }

  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String reason) {
      super(reason);
    }
  }

  /// @param node the name of the node, which is that of its pool
  public static Read read(JsonNode claim, String node) {
    try {
      JsonNode devices = claim.at("/status/allocation/devices");
      return new Read.Allocated(
          new AllocatedClaim(
              claim.at("/metadata/namespace").asText(),
              claim.at("/metadata/name").asText(),
              claim.at("/metadata/uid").asText(),
              status(claim),
              results(devices.path("results"), node),
              settings(devices.path("config"))));
    } catch (Refusal e) {
      return new Read.Refused(String.valueOf(e.getMessage()));
    }
  }

  /// Only the allocation: what else the status has changes with each pod.
  private static JsonNode status(JsonNode claim) {
    return JsonNodeFactory.instance.objectNode().set("allocation", claim.at("/status/allocation"));
  }

  private static List<Result> results(JsonNode all, String node) throws Refusal {
    var results = new ArrayList<Result>();
    for (JsonNode one : all) {
      if (!one.path("driver").asText().equals(ClaimDevice.DRIVER)) {
        continue;
      }
      String pool = one.path("pool").asText();
      if (!pool.equals(node)) {
        throw new Refusal(
            "status.allocation.devices.results has device %s of pool '%s', and this node serves pool '%s' only"
                .formatted(one.path("device").asText(), pool, node));
      }
      String request = one.path("request").asText();
      results.add(
          new Result(
              request.split("/", 2)[0],
              request,
              pool,
              one.path("device").asText(),
              Optional.of(one.path("shareID").asText("")).filter(id -> !id.isEmpty()),
              one.path("adminAccess").asBoolean(false)));
    }
    if (results.isEmpty()) {
      throw new Refusal(
          "no device of driver %s is allocated to it: status.allocation.devices.results has none"
              .formatted(ClaimDevice.DRIVER));
    }
    return results;
  }

  private static List<Setting> settings(JsonNode config) throws Refusal {
    var ofClass = new ArrayList<Setting>();
    var ofClaim = new ArrayList<Setting>();
    int index = 0;
    for (JsonNode one : config) {
      String field = "status.allocation.devices.config[%d]".formatted(index++);
      JsonNode opaque = one.path("opaque");
      if (!opaque.isObject()) {
        throw new Refusal(field + " has no opaque parameters, the only ones that a driver knows");
      }
      if (!opaque.path("driver").asText().equals(ClaimDevice.DRIVER)) {
        continue;
      }
      var setting =
          new Setting(
              field + ".opaque.parameters",
              one.path("requests").valueStream().map(JsonNode::asText).toList(),
              opaque.path("parameters"));
      (one.path("source").asText().equals("FromClass") ? ofClass : ofClaim).add(setting);
    }
    ofClass.addAll(ofClaim);
    return ofClass;
  }
}
