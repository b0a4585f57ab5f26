package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.hardware.HostRoot;
import java.util.Optional;
import java.util.stream.Stream;

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

  /// The runtime of a host as distributions have it: of this kind, or the one whose socket is
  /// there. CRI-O first: containerd may be there for others.
  public static Optional<RuntimePlace> find(HostRoot host, Optional<RuntimeKind> kind) {
    return kind.or(() ->
            Stream.of(RuntimeKind.CRIO, RuntimeKind.CONTAINERD, RuntimeKind.DOCKER)
                .filter(it -> host.exists(usual(it).socket()))
                .findFirst())
        .map(RuntimePlace::usual);
  }

  /// This place but for what is given; a runtime that reads one file only gets no other.
  public RuntimePlace with(
      Optional<String> config,
      Optional<String> dropIn,
      Optional<String> socket,
      Optional<String> program,
      Optional<RestartMode> restart) {
    return new RuntimePlace(
        kind,
        config.orElse(mainPath),
        dropInPath.isEmpty() ? "" : dropIn.orElse(dropInPath),
        socket.orElse(this.socket),
        program.orElse(this.program),
        restart.orElse(this.restart));
  }

  RuntimePlace withoutRestart() {
    return new RuntimePlace(kind, mainPath, dropInPath, socket, program, RestartMode.NONE);
  }

  boolean hasSameFiles(RuntimePlace other) {
    return kind == other.kind
        && mainPath.equals(other.mainPath)
        && dropInPath.equals(other.dropInPath);
  }

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
