package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.node.GpuHardware;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// `pitcrew-mps` as a process of the node, over the simulated driver's control program.
final class MpsSupervisorOnNode implements AutoCloseable {
  /// The kernel keeps 15 characters of a name.
  private static final String DAEMON = "nvidia-cuda-mps-control".substring(0, 15);

  private final GpuNode node;
  private Optional<GuardedProcess> process = Optional.empty();

  MpsSupervisorOnNode(GpuNode node) {
    this.node = node;
  }

  void start() {
    process =
        Optional.of(
            node.node()
                .start(
                    "pitcrew-mps",
                    JvmOnNode.MPS_SUPERVISOR,
                    "--host-root=" + GpuHardware.HOST_ROOT,
                    "--mps-root=" + GpuNode.MPS_ROOT,
                    "--desired=" + AgentOnNode.STATE + "/mps/daemons"));
  }

  /// As `kill -9` does.
  void kill() {
    process.ifPresent(GuardedProcess::stop);
    process = Optional.empty();
  }

  /// What the daemon of a resource was told since it started, one command a line.
  List<String> told(String resource) {
    List<String> lines = text(resource + "/log/control.log").lines().toList();
    return lines.subList(lines.lastIndexOf("started") + 1, lines.size());
  }

  /// Its line while a daemon runs, else empty.
  String started(String resource) {
    return text(resource + "/.started");
  }

  /// The daemons that run on the node, by their numbers on this machine; their servers have another
  /// name. Another node of this machine may have daemons, too.
  List<Long> daemons() {
    Optional<Path> processes = processNamespace(node.node().path("/").getParent());
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> name(pid).equals(DAEMON))
        .filter(pid -> processNamespace(Path.of("/proc", String.valueOf(pid))).equals(processes))
        .sorted(Comparator.naturalOrder())
        .toList();
  }

  /// See pid_namespaces(7); none where the process has ended.
  private static Optional<Path> processNamespace(Path process) {
    try {
      return Optional.of(Files.readSymbolicLink(process.resolve("ns/pid")));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  void killDaemons() {
    daemons().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
  }

  private static String name(long pid) {
    try {
      return Files.readString(Path.of("/proc", String.valueOf(pid), "comm")).strip();
    } catch (IOException _) {
      return "";
    }
  }

  private String text(String name) {
    try {
      return Files.readString(node.gpus().hostRoot().resolve("." + GpuNode.MPS_ROOT).resolve(name));
    } catch (NoSuchFileException _) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException("read " + name, e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
