package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.node.NodeSupport.Available;
import dev.pitcrew.testbed.node.NodeSupport.Unavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Finds out what this machine lacks for real nodes: Linux, root, programs, rights in the kernel.
record MachineCheck(Progress progress) {
  private static final Path ANYWHERE = Path.of("/");
  private static final Path APT = Path.of("/usr/bin/apt-get");

  NodeSupport support() {
    if (!isRootOnLinux()) {
      return new Unavailable(List.of("it takes root on Linux"));
    }
    if (!CommandRun.of(List.of("unshare", "--mount", "true"), ANYWHERE).succeeded()) {
      return new Unavailable(List.of("namespaces cannot be made here (CAP_SYS_ADMIN is missing)"));
    }
    install(SystemProgram.missing());
    var missing = SystemProgram.missing();
    return missing.isEmpty() ? trial() : new Unavailable(explain(missing));
  }

  private static List<String> explain(List<SystemProgram> missing) {
    return missing.stream()
        .map(program ->
            "no %s (on Debian: apt-get install %s)"
                .formatted(program.command(), String.join(" ", program.packages())))
        .toList();
  }

  private static boolean isRootOnLinux() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer uid
          && uid == 0;
    } catch (IOException | UnsupportedOperationException _) {
      return false;
    }
  }

  private void install(List<SystemProgram> missing) {
    if (missing.isEmpty() || !Files.isExecutable(APT)) {
      return;
    }
    var packages =
        missing.stream()
            .flatMap(program -> program.packages().stream())
            .distinct()
            .collect(Collectors.toCollection(ArrayList::new));
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

  private static List<String> installation(List<String> packages) {
    var words =
        new ArrayList<>(List.of("install", "--yes", "--no-install-recommends", "--no-remove"));
    words.addAll(packages);
    return words;
  }

  private static CommandRun aptGet(List<String> words) {
    var command = new ArrayList<>(List.of("env", "DEBIAN_FRONTEND=noninteractive", APT.toString()));
    command.addAll(List.of("-o", "DPkg::Lock::Timeout=60", "--quiet"));
    command.addAll(List.of("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"));
    command.addAll(words);
    return CommandRun.of(command, ANYWHERE);
  }

  private static NodeSupport trial() {
    var run =
        CommandRun.of(
            List.of(
                "unshare",
                "--mount",
                "--uts",
                "--ipc",
                "--net",
                "--pid",
                "--fork",
                "--propagation=private",
                "/bin/sh",
                "-c",
                NodeResources.text("trial.sh")),
            ANYWHERE);
    return run.succeeded() ? new Available() : new Unavailable(List.of(run.lastLines()));
  }
}
