package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Installs packages of Debian and Ubuntu that tests need.
public final class DebianPackages {
  private static final Path ANYWHERE = Path.of("/");
  private static final Path APT = Path.of("/usr/bin/apt-get");

  private DebianPackages() {}

  /// Whether packages can be installed here: as root, where apt-get is.
  public static boolean canBeInstalled() {
    return isRootOnLinux() && Files.isExecutable(APT);
  }

  public static boolean isRootOnLinux() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer uid
          && uid == 0;
    } catch (IOException | UnsupportedOperationException _) {
      return false;
    }
  }

  /// Prints where that fails; whether the programs are there now is for the caller to see.
  public static void install(Collection<String> packages, Progress progress) {
    progress.line("installing with apt-get: " + String.join(" ", packages));
    if (!aptGet(installation(packages)).succeeded()) {
      // An image without package lists is the usual reason.
      aptGet(List.of("update"));
      var again = aptGet(installation(packages));
      if (!again.succeeded()) {
        progress.line("apt-get failed: " + again.lastLines());
      }
    }
  }

  private static List<String> installation(Collection<String> packages) {
    var words =
        new ArrayList<>(List.of("install", "--yes", "--no-install-recommends", "--no-remove"));
    words.addAll(packages);
    return words;
  }

  private static CommandRun aptGet(List<String> words) {
    var command = new ArrayList<>(List.of("env", "DEBIAN_FRONTEND=noninteractive", APT.toString()));
    command.addAll(List.of("-o", "DPkg::Lock::Timeout=300", "--quiet"));
    command.addAll(List.of("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"));
    command.addAll(words);
    return CommandRun.of(command, ANYWHERE);
  }
}
