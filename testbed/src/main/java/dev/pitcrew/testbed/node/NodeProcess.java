package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.controlplane.Deadline;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The namespaces of a node that runs, behind a guard: they end, and with them every process in
/// them, when it is stopped and when this JVM ends.
///
/// @param guarded `unshare`, whose only child is the node's pid 1
/// @param pid the node's pid 1 as this machine counts
record NodeProcess(GuardedProcess guarded, long pid) {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String PATH =
      "PATH=/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  static NodeProcess start(
      WorkDirectory directory, NodeFolder folder, NodePlace place, String cgroup) {
    var name = String.valueOf(folder.path().getFileName());
    var after =
        "CGROUP=%s\nINTERFACE=%s\n".formatted(cgroup, place.networkInterface())
            + NodeResources.text("after-node.sh");
    var start = folder.file("etc/start.sh").toString();
    var guarded =
        directory.start(
            "node-" + name,
            after,
            List.of("/bin/sh", start, folder.path().toString(), name, cgroup));
    Deadline.in(LIMIT).await(guarded, () -> firstProcess(guarded).isPresent());
    return new NodeProcess(guarded, firstProcess(guarded).orElseThrow().pid());
  }

  private static Optional<ProcessHandle> firstProcess(GuardedProcess guarded) {
    return guarded.process("unshare").flatMap(unshare -> unshare.children().findFirst());
  }

  /// Runs a command in the namespaces of the node.
  CommandRun exec(List<String> command) {
    return CommandRun.of(inNode(List.of("env", PATH), command), Path.of("/"));
  }

  /// Starts a command in the namespaces of the node, which ends with the node at the latest.
  GuardedProcess start(WorkDirectory directory, String program, List<String> command) {
    // The guard kills nsenter, which has a child once it is in another process namespace.
    var prefix = List.of("setpriv", "--pdeathsig", "KILL", "env", "--default-signal", PATH);
    return directory.start(guarded.name() + "-" + program, inNode(prefix, command));
  }

  private List<String> inNode(List<String> prefix, List<String> command) {
    var words = new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid), "--all", "--"));
    words.addAll(prefix);
    words.addAll(command);
    return words;
  }

  /// As [#exec], for a command that has to succeed.
  String execOrFail(String... command) {
    var run = exec(List.of(command));
    if (!run.succeeded()) {
      throw new TestbedException(
          "on %s '%s' ended with status %d: %s"
              .formatted(guarded.name(), String.join(" ", command), run.status(), run.lastLines()));
    }
    return run.output();
  }

  /// A file of the node as this machine sees it.
  Path path(String absolute) {
    return Path.of("/proc", Long.toString(pid), "root", absolute.substring(1));
  }

  void stop() {
    guarded.stop();
  }
}
