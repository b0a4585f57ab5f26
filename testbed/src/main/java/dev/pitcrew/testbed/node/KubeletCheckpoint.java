package dev.pitcrew.testbed.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The kubelet's own account of which devices it has given to which pod: its file
/// `kubelet_internal_checkpoint` (pkg/kubelet/cm/devicemanager/checkpoint).
public record KubeletCheckpoint(JsonNode entries) {
  private static final String FILE = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";
  private static final JsonMapper JSON = new JsonMapper();

  /// As it is now.
  public static KubeletCheckpoint of(RealNode node) {
    try {
      return in(Files.readString(node.path(FILE)));
    } catch (IOException e) {
      throw new UncheckedIOException("read " + FILE + " of " + node.name(), e);
    }
  }

  static KubeletCheckpoint in(String text) throws IOException {
    return new KubeletCheckpoint(JSON.readTree(text).path("Data").path("PodDeviceEntries"));
  }

  /// What each container was given, with the answer of the plugin; the kubelet writes entries and
  /// ids in another order each time.
  public Set<String> allocations() {
    return entries
        .valueStream()
        .map(entry ->
            "%s %s %s %s %s"
                .formatted(
                    entry.path("PodUID").asText(),
                    entry.path("ContainerName").asText(),
                    entry.path("ResourceName").asText(),
                    ids(entry).toList(),
                    entry.path("AllocResp").asText()))
        .collect(Collectors.toUnmodifiableSet());
  }

  /// The ids of all devices that a pod has, sorted.
  public List<String> devices(String podUid) {
    return entries
        .valueStream()
        .filter(entry -> entry.path("PodUID").asText().equals(podUid))
        .flatMap(KubeletCheckpoint::ids)
        .sorted()
        .toList();
  }

  private static Stream<String> ids(JsonNode entry) {
    return entry
        .path("DeviceIDs")
        .valueStream()
        .flatMap(JsonNode::valueStream)
        .map(JsonNode::asText)
        .sorted();
  }
}
