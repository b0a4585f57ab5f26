package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Where the configuration of container runtimes lies.
///
/// @param main what the runtimes of the host read first: those that were named to a runtime that
///   runs, then those that are there
/// @param all of them, with what the first ones import and the drop-ins
public record RuntimeFiles(List<String> main, List<String> all) {
  /// Where containerd, CRI-O and Docker look by default, and where k3s, RKE2, k0s and MicroK8s keep
  /// containerd's (each one's manual).
  private static final List<String> USUAL =
      List.of(
          "/etc/containerd/config.toml",
          "/etc/crio/crio.conf",
          "/etc/crio/config.toml",
          "/etc/docker/daemon.json",
          "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
          "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
          "/etc/k0s/containerd.toml",
          "/var/snap/microk8s/current/args/containerd.toml");

  /// The last is where Talos' extensions put theirs.
  private static final List<String> DROP_INS =
      List.of(
          "/etc/containerd/conf.d",
          "/etc/containerd/config.d",
          "/etc/crio/crio.conf.d",
          "/etc/cri/conf.d");

  private static final Pattern IMPORTS =
      Pattern.compile("(?m)^\\s*imports\\s*=\\s*\\[([^\\]]*)\\]");
  private static final Pattern QUOTED = Pattern.compile("[\"']([^\"']+)[\"']");

  public RuntimeFiles {
    main = List.copyOf(main);
    all = List.copyOf(all);
  }

  public static RuntimeFiles of(HostRoot host) {
    List<String> main =
        Stream.concat(
                RunningRuntimes.configurations(host).stream(), USUAL.stream().filter(host::exists))
            .distinct()
            .toList();
    Stream<String> more =
        Stream.concat(
            main.stream().flatMap(file -> imported(host, file)),
            DROP_INS.stream().flatMap(folder -> below(host, folder, Pattern.compile(".*"))));
    return new RuntimeFiles(main, Stream.concat(main.stream(), more).distinct().toList());
  }

  /// The folders in which such files come and go.
  public List<String> folders() {
    return Stream.of(
            DROP_INS.stream(),
            Stream.concat(USUAL.stream(), all.stream()).map(RuntimeFiles::folder))
        .flatMap(each -> each)
        .distinct()
        .toList();
  }

  /// The files that `imports` of containerd's file names, relative ones from its folder. Only the
  /// last part of a path may be a pattern there.
  private static Stream<String> imported(HostRoot host, String file) {
    return IMPORTS
        .matcher(host.text(file).orElse(""))
        .results()
        .flatMap(imports -> QUOTED.matcher(imports.group(1)).results())
        .map((MatchResult each) -> each.group(1))
        .map(path -> path.startsWith("/") ? path : folder(file) + "/" + path)
        .flatMap(
            path -> below(host, folder(path), glob(path.substring(path.lastIndexOf('/') + 1))));
  }

  private static Stream<String> below(HostRoot host, String folder, Pattern names) {
    return host.names(folder).stream()
        .filter(name -> names.matcher(name).matches())
        .map(name -> folder + "/" + name);
  }

  private static Pattern glob(String name) {
    return Pattern.compile(Pattern.quote(name).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q"));
  }

  private static String folder(String file) {
    return file.substring(0, file.lastIndexOf('/'));
  }
}
