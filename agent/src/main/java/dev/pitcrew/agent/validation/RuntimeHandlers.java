package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.host.RuntimeFiles;
import dev.pitcrew.hardware.HostRoot;
import java.util.List;
import java.util.regex.Pattern;

/// Looks in the files of container runtimes for the handler that a runtime class names. Any writer
/// counts: the container toolkit, a cloud's image, an administrator.
public final class RuntimeHandlers {
  static final String PLACES_TEXT =
      "none is in the files that a running containerd, CRI-O or Docker was started with, nor where those of k3s, RKE2, k0s and MicroK8s usually are";

  private RuntimeHandlers() {}

  /// The folders in which such files come and go.
  public static List<String> folders(HostRoot host) {
    return RuntimeFiles.of(host).folders();
  }

  /// The files that have it.
  public static List<String> in(HostRoot host, String handler) {
    Pattern table =
        Pattern.compile(
            "(?m)^\\s*\\[[^\\]#]*\\bruntimes\\.[\"']?" + Pattern.quote(handler) + "[\"']?\\]");
    Pattern member = Pattern.compile("\"" + Pattern.quote(handler) + "\"\\s*:\\s*\\{");
    return RuntimeFiles.of(host).all().stream()
        .filter(path -> {
          Pattern wanted = path.endsWith(".json") ? member : table;
          return host.text(path).filter(text -> wanted.matcher(text).find()).isPresent();
        })
        .toList();
  }
}
