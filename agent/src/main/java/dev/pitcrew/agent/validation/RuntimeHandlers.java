package dev.pitcrew.agent.validation;

import dev.pitcrew.hardware.HostRoot;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Looks in the files of container runtimes for the handler that a runtime class names. Whoever put
/// it there counts: the container toolkit, a cloud's image, an administrator.
public final class RuntimeHandlers {
  static final String PLACES_TEXT =
      "none is in the files of containerd, CRI-O or Docker below /etc, nor of k3s and RKE2";

  private static final List<String> FILES =
      List.of(
          "/etc/containerd/config.toml",
          "/etc/crio/crio.conf",
          "/etc/crio/config.toml",
          "/etc/docker/daemon.json",
          "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
          "/var/lib/rancher/rke2/agent/etc/containerd/config.toml");
  private static final List<String> FOLDERS =
      List.of("/etc/containerd/conf.d", "/etc/containerd/config.d", "/etc/crio/crio.conf.d");

  private RuntimeHandlers() {}

  /// The folders in which such files come and go.
  public static List<String> folders() {
    return Stream.concat(
            FILES.stream().map(file -> file.substring(0, file.lastIndexOf('/'))), FOLDERS.stream())
        .distinct()
        .toList();
  }

  /// The files that have it.
  public static List<String> in(HostRoot host, String handler) {
    Pattern table =
        Pattern.compile(
            "(?m)^\\s*\\[[^\\]#]*\\bruntimes\\.[\"']?" + Pattern.quote(handler) + "[\"']?\\]");
    Pattern member = Pattern.compile("\"" + Pattern.quote(handler) + "\"\\s*:\\s*\\{");
    Stream<String> dropIns =
        FOLDERS.stream()
            .flatMap(folder -> host.names(folder).stream().map(name -> folder + "/" + name));
    return Stream.concat(FILES.stream(), dropIns)
        .filter(path -> {
          Pattern wanted = path.endsWith(".json") ? member : table;
          return host.text(path).filter(text -> wanted.matcher(text).find()).isPresent();
        })
        .toList();
  }
}
