package dev.pitcrew.agent.plugin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.hardware.HostRoot;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What the kubelet itself remembers of device plugins, in `kubelet_internal_checkpoint`
/// (pkg/kubelet/cm/devicemanager/checkpoint).
public final class KubeletCheckpoint {
  private static final String FILE = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private KubeletCheckpoint() {}

  /// How many devices are registered, healthy or not, by resource; empty where the file cannot be
  /// read.
  public static Optional<Map<String, Integer>> registered(HostRoot host) {
    return host.text(FILE).flatMap(KubeletCheckpoint::parse);
  }

  /// The UIDs of the pods that hold devices, by the IDs of these; empty where the file cannot be
  /// read.
  public static Map<String, String> podUids(HostRoot host) {
    return host.text(FILE).map(KubeletCheckpoint::uids).orElse(Map.of());
  }

  private static Map<String, String> uids(String text) {
    try {
      var uids = new HashMap<String, String>();
      for (JsonNode entry : MAPPER.readTree(text).at("/Data/PodDeviceEntries")) {
        String uid = entry.path("PodUID").asText();
        entry.path("DeviceIDs").forEach(ids -> ids.forEach(id -> uids.put(id.asText(), uid)));
      }
      return uids;
    } catch (JsonProcessingException _) {
      return Map.of();
    }
  }

  private static Optional<Map<String, Integer>> parse(String text) {
    try {
      JsonNode devices = MAPPER.readTree(text).at("/Data/RegisteredDevices");
      return Optional.of(
          devices.properties().stream()
              .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().size())));
    } catch (JsonProcessingException _) {
      return Optional.empty();
    }
  }
}
