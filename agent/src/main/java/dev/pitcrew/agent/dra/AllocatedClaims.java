package dev.pitcrew.agent.dra;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.HashSet;
import java.util.Set;

/// The devices of the node that ResourceClaims of any namespace are allocated to, prepared or not.
/// A list of all claims: it is asked for only while a GPU waits to return to the device plugin.
record AllocatedClaims(ApiServer server, String node) {
  private static final String API = "resource.k8s.io/v1";

  /// What was found.
  sealed interface Found {
    /// @param names of devices in the pool of the node
    record Devices(Set<String> names) implements Found {
      public Devices {
        names = Set.copyOf(names);
      }
    }

    record Unknown(String reason) implements Found {}
  }

  Found read() {
    return switch (server.list(API, "resourceclaims")) {
      case Reply.Done(var list) -> new Found.Devices(devices(list.path("items")));
      case Reply.Refused refused ->
          new Found.Unknown("ResourceClaims cannot be listed: " + refused.message());
      case Reply.Unanswered(var reason) ->
          new Found.Unknown("ResourceClaims cannot be listed: " + reason);
    };
  }

  private Set<String> devices(JsonNode claims) {
    var names = new HashSet<String>();
    for (JsonNode claim : claims) {
      for (JsonNode result : claim.at("/status/allocation/devices/results")) {
        if (result.path("driver").asText().equals(ClaimDevice.DRIVER)
            && result.path("pool").asText().equals(node)) {
          names.add(result.path("device").asText());
        }
      }
    }
    return names;
  }
}
