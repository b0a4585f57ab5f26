package dev.pitcrew.agent.runtime.plan;

import java.util.Arrays;
import java.util.Optional;

/// A container runtime that can be set up.
public enum RuntimeKind {
  CONTAINERD("containerd", "containerd", "containerd", RestartMode.SIGNAL),
  CRIO("crio", "crio", "cri-o", RestartMode.SYSTEMD),
  DOCKER("docker", "dockerd", "docker", RestartMode.SIGNAL);

  private final String value;
  private final String program;
  private final String scheme;
  private final RestartMode restart;

  RuntimeKind(String value, String program, String scheme, RestartMode restart) {
    this.value = value;
    this.program = program;
    this.scheme = scheme;
    this.restart = restart;
  }

  /// As the container toolkit and systemd name it.
  public String value() {
    return value;
  }

  /// The daemon.
  public String program() {
    return program;
  }

  /// How it is made to load a new configuration by default.
  public RestartMode restart() {
    return restart;
  }

  public static Optional<RuntimeKind> of(String value) {
    return Arrays.stream(values()).filter(kind -> kind.value.equals(value)).findFirst();
  }

  /// @param version as a Node has it in `status.nodeInfo.containerRuntimeVersion`, such as
  ///   `containerd://2.1.4`
  public static Optional<RuntimeKind> ofNode(String version) {
    return Arrays.stream(values())
        .filter(kind -> version.startsWith(kind.scheme + "://"))
        .findFirst();
  }
}
