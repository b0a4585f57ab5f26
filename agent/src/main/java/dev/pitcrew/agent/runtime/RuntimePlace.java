package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;

/// Where a runtime has its files; all paths are the host's.
///
/// @param mainPath its own configuration
/// @param dropInPath ours; an empty text where it reads one file only
/// @param socket on which it answers
/// @param program the daemon's, by name or path
public record RuntimePlace(
    RuntimeKind kind,
    String mainPath,
    String dropInPath,
    String socket,
    String program,
    RestartMode restart) {

  /// Where distributions have it. Our file is never that of the container toolkit
  /// (`99-nvidia.toml`), which removes its own on its way out.
  public static RuntimePlace usual(RuntimeKind kind) {
    return switch (kind) {
      case CONTAINERD ->
          new RuntimePlace(
              kind,
              "/etc/containerd/config.toml",
              "/etc/containerd/conf.d/99-pitcrew.toml",
              "/run/containerd/containerd.sock",
              kind.program(),
              kind.restart());
      case CRIO ->
          new RuntimePlace(
              kind,
              "/etc/crio/crio.conf",
              "/etc/crio/crio.conf.d/99-pitcrew.conf",
              "/var/run/crio/crio.sock",
              kind.program(),
              kind.restart());
      case DOCKER ->
          new RuntimePlace(
              kind,
              "/etc/docker/daemon.json",
              "",
              "/var/run/docker.sock",
              kind.program(),
              kind.restart());
    };
  }
}
