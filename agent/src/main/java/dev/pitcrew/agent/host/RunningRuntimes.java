package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The configuration files that container runtimes were started with. k3s, RKE2, MicroK8s, k0s and
/// Flatcar do not start containerd with its default file.
final class RunningRuntimes {
  private static final Pattern PROCESS = Pattern.compile("\\d+");

  /// The options that name a file, by the name that the kernel gives the process: containerd(8),
  /// crio(8), dockerd(8).
  private static final Map<String, Set<String>> OPTIONS =
      Map.of(
          "containerd", Set.of("--config", "-c"),
          "crio", Set.of("--config", "-c"),
          "dockerd", Set.of("--config-file"));

  private RunningRuntimes() {}

  /// Absolute paths, each once.
  static List<String> configurations(HostRoot host) {
    return host.names("/proc").stream()
        .filter(name -> PROCESS.matcher(name).matches())
        .flatMap(process -> configurations(host, "/proc/" + process))
        .distinct()
        .sorted()
        .toList();
  }

  private static Stream<String> configurations(HostRoot host, String process) {
    Set<String> options = host.text(process + "/comm").map(OPTIONS::get).orElse(Set.of());
    return options.isEmpty()
        ? Stream.empty()
        : host.text(process + "/cmdline").stream()
            .flatMap(line -> named(Arrays.asList(line.split("\0", -1)), options))
            .filter(path -> path.startsWith("/"));
  }

  /// As `--config FILE` and `--config=FILE`.
  private static Stream<String> named(List<String> words, Set<String> options) {
    return IntStream.range(0, words.size())
        .boxed()
        .flatMap(i -> {
          String word = words.get(i);
          if (options.contains(word)) {
            return words.stream().skip(i + 1L).limit(1);
          }
          return options.stream()
              .filter(option -> word.startsWith(option + "="))
              .map(option -> word.substring(option.length() + 1));
        });
  }
}
