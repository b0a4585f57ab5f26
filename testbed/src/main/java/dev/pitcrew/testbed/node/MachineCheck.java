package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.binaries.DebianPackages;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.node.NodeSupport.Available;
import dev.pitcrew.testbed.node.NodeSupport.Unavailable;
import java.nio.file.Path;
import java.util.List;

/// Finds out what this machine lacks for real nodes: Linux, root, programs, rights in the kernel.
record MachineCheck(Progress progress) {
  private static final Path ANYWHERE = Path.of("/");

  NodeSupport support() {
    if (!DebianPackages.isRootOnLinux()) {
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

  private void install(List<SystemProgram> missing) {
    if (!missing.isEmpty() && DebianPackages.canBeInstalled()) {
      DebianPackages.install(
          missing.stream().flatMap(program -> program.packages().stream()).distinct().toList(),
          progress);
    }
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
