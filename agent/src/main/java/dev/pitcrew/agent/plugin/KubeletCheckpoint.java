package dev.pitcrew.agent.plugin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.hardware.HostRoot;
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
