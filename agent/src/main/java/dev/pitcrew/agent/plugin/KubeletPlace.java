package dev.pitcrew.agent.plugin;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// Where the kubelet and the device plugins meet.
///
/// @param folder where plugins make their sockets, such as `/var/lib/kubelet/device-plugins`
/// @param socket where the kubelet takes registrations; where empty, nothing is registered
public record KubeletPlace(Path folder, Optional<Path> socket) {
  private static final String USUAL_SOCKET = "kubelet.sock";
  private static final Path USUAL_FOLDER = Path.of("/var/lib/kubelet/device-plugins");

  /// The kubelet's socket under its usual name in a folder.
  public static KubeletPlace in(Path folder) {
    return new KubeletPlace(folder, Optional.of(folder.resolve(USUAL_SOCKET)));
  }

  /// As `--kubelet-socket` names it. The kubelet looks for plugins beside its own socket.
  ///
  /// @param socket where empty, the plugins serve in the usual folder and register nowhere
  public static KubeletPlace ofSocket(String socket) {
    if (socket.isEmpty()) {
      return new KubeletPlace(USUAL_FOLDER, Optional.empty());
    }
    var path = Path.of(socket).toAbsolutePath().normalize();
    return new KubeletPlace(Objects.requireNonNullElse(path.getParent(), path), Optional.of(path));
  }

  /// The same without a registration or with one, but in another folder.
  public KubeletPlace movedTo(Path other) {
    return new KubeletPlace(other, socket.map(Path::getFileName).map(other::resolve));
  }

  /// Whether a file of this name beside the plugins' sockets concerns them.
  boolean isSocket(Path name) {
    return name.toString().endsWith(".sock")
        || socket.filter(path -> name.equals(path.getFileName())).isPresent();
  }
}
