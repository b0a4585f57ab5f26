package dev.pitcrew.agent.process;

import dev.pitcrew.agent.host.HostShell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// The programs of a host that a test plays by one script. None of this machine's is ever run.
///
/// @param host the root that the script lies under
record HostPrograms(Path host) {
  private static final String NAME = "programs-of-the-host";

  HostShell shell() {
    return new HostShell(List.of(host.resolve(NAME).toString()));
  }

  /// Has every call written down.
  ///
  /// @param script what happens then; `$*` is the command line
  void play(String script) {
    Path file = host.resolve(NAME);
    try {
      Files.writeString(file, "#!/bin/sh\necho \"$*\" >> %s\n%s\n".formatted(calls(), script));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The command lines so far.
  List<String> said() {
    try {
      return Files.exists(calls()) ? Files.readAllLines(calls()) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path calls() {
    return host.resolve("calls-of-programs");
  }
}
