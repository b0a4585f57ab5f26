package dev.pitcrew.agent.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What the kubelet is to give to one container.
public record ContainerResponse(
    Map<String, String> environment,
    List<Mount> mounts,
    List<DeviceFile> deviceFiles,
    Map<String, String> annotations,
    List<String> cdiDevices) {

  public record Mount(String hostPath, String containerPath) {}

  /// Readable and writable in the container.
  public record DeviceFile(String hostPath, String containerPath) {}

  public ContainerResponse {
    environment = Map.copyOf(environment);
    mounts = List.copyOf(mounts);
    deviceFiles = List.copyOf(deviceFiles);
    annotations = Map.copyOf(annotations);
    cdiDevices = List.copyOf(cdiDevices);
  }

  /// Collects a response step by step; a later step may overwrite a variable.
  static final class Builder {
    private final Map<String, String> environment = new TreeMap<>();
    private final List<Mount> mounts = new ArrayList<>();
    private final List<DeviceFile> deviceFiles = new ArrayList<>();
    private final Map<String, String> annotations = new TreeMap<>();
    private final List<String> cdiDevices = new ArrayList<>();

    void variable(String name, String value) {
      environment.put(name, value);
    }

    void mount(String hostPath, String containerPath) {
      mounts.add(new Mount(hostPath, containerPath));
    }

    void deviceFile(String hostPath, String containerPath) {
      deviceFiles.add(new DeviceFile(hostPath, containerPath));
    }

    void annotation(String key, String value) {
      annotations.put(key, value);
    }

    void cdiDevices(List<String> names) {
      cdiDevices.addAll(names);
    }

    ContainerResponse build() {
      return new ContainerResponse(environment, mounts, deviceFiles, annotations, cdiDevices);
    }
  }
}
