package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Which processes have files open.
///
/// @param root whose `/proc` is looked at
public record OpenFiles(HostRoot root) {

  /// @param file its path as the process knows it, with ` (deleted)` where it is gone since
  /// @param process such as `process 4711 (python)`
  public record Opened(String file, String process) {}

  /// The host's own `/proc` shows what the pod's does not where that has no `hostPID`.
  ///
  /// @param own the root of this process
  public static OpenFiles of(HostRoot own, HostRoot host) {
    return new OpenFiles(host.exists("/proc/1") ? host : own);
  }

  /// Files that fit, each as often as it is open.
  ///
  /// @param wanted by their paths
  public List<Opened> matching(Predicate<String> wanted) {
    return root.names("/proc").stream()
        .filter(name -> name.matches("[0-9]{1,10}"))
        .flatMap(id -> files(id).stream().filter(wanted).map(file -> new Opened(file, process(id))))
        .toList();
  }

  private String process(String id) {
    return "process %s (%s)".formatted(id, root.text("/proc/" + id + "/comm").orElse("?"));
  }

  private List<String> files(String id) {
    try (Stream<Path> descriptors = Files.list(root.place("/proc/" + id + "/fd"))) {
      return descriptors.flatMap(descriptor -> target(descriptor).stream()).toList();
    } catch (IOException | UncheckedIOException _) {
      return List.of(); // it has ended, or is none of ours to look into
    }
  }

  private static Optional<String> target(Path descriptor) {
    try {
      return Optional.of(Files.readSymbolicLink(descriptor).toString());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
