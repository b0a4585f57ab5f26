package dev.pitcrew.operator.cluster;

import java.util.Collection;
import java.util.Optional;

/// The container runtime of GPU nodes, as `status.nodeInfo.containerRuntimeVersion` names it.
public enum ContainerRuntime {
  CONTAINERD("containerd"),
  CRIO("crio"),
  DOCKER("docker");

  private final String id;

  ContainerRuntime(String id) {
    this.id = id;
  }

  /// The name that operands take in their settings.
  public String id() {
    return id;
  }

  /// The runtime of a node, for example of `containerd://2.1.4` or `cri-o://1.30.1`.
  public static Optional<ContainerRuntime> ofVersion(String runtimeVersion) {
    if (runtimeVersion.startsWith("containerd")) {
      return Optional.of(CONTAINERD);
    }
    if (runtimeVersion.startsWith("cri-o")) {
      return Optional.of(CRIO);
    }
    return runtimeVersion.startsWith("docker") ? Optional.of(DOCKER) : Optional.empty();
  }

  /// One runtime for the whole cluster: containerd wherever a node has it, else the last one that
  /// is known.
  public static ContainerRuntime ofCluster(Collection<String> runtimeVersions) {
    ContainerRuntime last = CONTAINERD;
    for (String version : runtimeVersions) {
      Optional<ContainerRuntime> runtime = ofVersion(version);
      if (runtime.equals(Optional.of(CONTAINERD))) {
        return CONTAINERD;
      }
      last = runtime.orElse(last);
    }
    return last;
  }
}
