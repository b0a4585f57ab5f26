package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.Binary;
import java.util.EnumSet;
import java.util.Set;

/// The containerd of a node. Each has the settings that its release has by default, except where
/// the node needs others.
public enum ContainerdRelease {
  /// What nodes have where nothing else is asked for: CDI and NRI are on.
  V2("containerd.toml"),
  /// The last release with a configuration of version 2: CDI and NRI are off. The kubelet takes it
  /// up to 1.36 (kubelet metric `cri_losing_support`).
  V1_7("containerd-1.7.toml");

  private static final Set<Binary> OF_V2 =
      Set.of(Binary.CONTAINERD, Binary.CONTAINERD_SHIM, Binary.CTR);

  private final String configuration;

  ContainerdRelease(String configuration) {
    this.configuration = configuration;
  }

  /// Without a leading `v`.
  public String version() {
    return switch (this) {
      case V2 -> Binary.CONTAINERD.version();
      case V1_7 -> Binary.CONTAINERD_1_7.version();
    };
  }

  /// The resource with its configuration.
  String configuration() {
    return configuration;
  }

  /// All programs of a node that has it.
  Set<Binary> programs() {
    var programs = EnumSet.copyOf(Binary.FOR_REAL_NODES);
    return switch (this) {
      case V2 -> programs;
      case V1_7 -> {
        programs.removeAll(OF_V2);
        programs.addAll(Binary.OF_CONTAINERD_1_7);
        yield programs;
      }
    };
  }
}
