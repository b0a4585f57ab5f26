package dev.pitcrew.agent.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kubelet.deviceplugin.CDIDevice;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// An answer to Allocate in the form of the recording: random names are `<uuid>`.
record RecordedAnswer(
    Map<String, String> envs,
    Map<String, String> annotations,
    List<String> mounts,
    List<String> cdiDevices) {
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

  static RecordedAnswer of(ContainerAllocateResponse response) {
    Map<String, String> annotations = new TreeMap<>();
    response
        .getAnnotationsMap()
        .forEach((key, value) -> annotations.put(key.replaceFirst(UUID, "<uuid>"), value));
    return new RecordedAnswer(
        new TreeMap<>(response.getEnvsMap()),
        annotations,
        response.getMountsList().stream()
            .map(it ->
                "%s -> %s ro=%s"
                    .formatted(it.getHostPath(), it.getContainerPath(), it.getReadOnly()))
            .toList(),
        response.getCdiDevicesList().stream().map(CDIDevice::getName).toList());
  }

  static List<RecordedAnswer> all(RecordedRegistration recorded, JsonNode responses) {
    List<RecordedAnswer> all = new ArrayList<>();
    responses.forEach(response ->
        all.add(
            new RecordedAnswer(
                map(recorded, response.path("envs")),
                map(recorded, response.path("annotations")),
                recorded.translated(response.path("mounts")),
                recorded.translated(response.path("cdi_devices")))));
    return all;
  }

  private static Map<String, String> map(RecordedRegistration recorded, JsonNode object) {
    Map<String, String> map = new TreeMap<>();
    object
        .properties()
        .forEach(entry -> map.put(entry.getKey(), recorded.translated(entry.getValue().asText())));
    return map;
  }
}
