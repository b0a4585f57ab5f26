package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A folder with a host's files, a program `containerd` that reads them, and a daemon that has read
/// them at its last start. The program answers as one that takes the text of all files together for
/// its configuration, and refuses what has the word `poison`.
record PretendHost(Path folder) {
  static final String MAIN = "/etc/containerd/config.toml";
  static final String OURS = "/etc/containerd/conf.d/99-pitcrew.toml";
  static final String TEXT =
      """
      # by an administrator
      version = 3
      root = '/data' # kept
      """;

  static PretendHost in(Path folder) {
    var host = new PretendHost(folder);
    host.write(MAIN, TEXT);
    host.write("/bin/containerd", PROGRAM);
    host.set("/bin/containerd", "rwxr-xr-x");
    return host;
  }

  private static final String PROGRAM =
      """
      #!/bin/sh
      # containerd --version | containerd --config FILE config dump | containerd config dump
      root=$(dirname "$(dirname "$0")")
      [ "$1" = --version ] && { echo 'containerd github.com/containerd/containerd/v2 v2.1.4'; exit; }
      main=$root/etc/containerd/config.toml
      [ "$1" = --config ] && main=$root$2
      drop=$(sed -n 's/^imports.*"\\([^"]*\\)99-pitcrew[^"]*"\\].*/\\1/p' "$main" | head -1)
      drop=$root${drop}99-pitcrew.toml
      grep -q poison "$main" && { echo 'containerd: no poison' >&2; exit 1; }
      grep -v '^imports' "$main"
      [ -d "$drop" ] || [ ! -e "$drop" ] || grep -v '^version' "$drop"
      """;

  RuntimeSetup setup() {
    var place =
        new RuntimePlace(
            RuntimeKind.CONTAINERD,
            MAIN,
            OURS,
            "/run/containerd/containerd.sock",
            folder.resolve("bin/containerd").toString(),
            RestartMode.SIGNAL);
    return new RuntimeSetup(
        place,
        new HostRoot(folder),
        new HostShell(List.of()),
        new StateFolder(folder.resolve("var/lib/pitcrew")),
        new RuntimeSetup.Seen(new Daemon(this), "/var/lib/pitcrew"));
  }

  /// Has read the files at its last start, which it keeps in a file as a process would in its
  /// memory.
  ///
  /// @param host whose files
  record Daemon(PretendHost host) implements RuntimeDaemon {
    @Override
    public Optional<String> restart() {
      String starts = host.read("/run/starts").orElse("");
      host.write("/run/starts", starts + "start\n");
      host.write("/run/loaded", host.read(MAIN).orElse("") + host.read(OURS).orElse(""));
      return Optional.empty();
    }

    @Override
    public Optional<String> missing(List<String> handlers, Duration limit) {
      String loaded = host.read("/run/loaded").orElse("");
      if (loaded.contains("dies with") && loaded.contains("nvidia")) {
        return Optional.of("no answer");
      }
      String unknown =
          handlers.stream()
              .filter(name -> !loaded.contains("runtimes." + name + "]"))
              .collect(Collectors.joining(", "));
      return Optional.of(unknown).filter(names -> !names.isEmpty());
    }
  }

  int starts() {
    return (int) read("/run/starts").orElse("").lines().count();
  }

  void write(String path, String text) {
    try {
      Path file = folder.resolve(path.substring(1));
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void set(String path, String mode) {
    try {
      Files.setPosixFilePermissions(
          folder.resolve(path.substring(1)), PosixFilePermissions.fromString(mode));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Optional<String> read(String path) {
    try {
      Path file = folder.resolve(path.substring(1));
      return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// All files below /etc with their text.
  Map<String, String> etc() {
    try (var files = Files.walk(folder.resolve("etc"))) {
      var all = new TreeMap<String, String>();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.put("/" + folder.relativize(file), Files.readString(file));
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
