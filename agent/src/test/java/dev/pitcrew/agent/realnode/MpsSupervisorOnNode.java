package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.node.GpuHardware;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `pitcrew-mps` as a process of the node, over the simulated driver's control program.
final class MpsSupervisorOnNode implements AutoCloseable {
  /// The kernel keeps 15 characters of a name.
  private static final String DAEMON = "nvidia-cuda-mps-control".substring(0, 15);

  /// Such as "[2026-11-26 19:34:49.099 Control 4955] Cmd:get_server_list".
  private static final Pattern LOGGED =
      Pattern.compile("\\[\\S+ \\S+ Control +(?<process>\\d+)] (?<text>.*)");

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
                    "--desired=" + AgentOnNode.STATE + "/mps/daemons",
                    "--claims=" + AgentOnNode.STATE + "/mps/claims",
                    "--claims-root=/var/lib/kubelet/plugins/gpu.nvidia.com/mps"));
  }

  /// As `kill -9` does.
  void kill() {
    process.ifPresent(GuardedProcess::stop);
    process = Optional.empty();
  }

  /// The commands that the newest daemon of a resource got, from the log of their supervisor, to
  /// which daemons write.
  List<String> limits(String resource) {
    var start = "Starting control daemon using socket /mps/" + resource + "/pipe/control";
    var commands = new ArrayList<String>();
    Optional<String> daemon = Optional.empty();
    for (Matcher line : logged()) {
      if (line.group("text").equals(start)) {
        daemon = Optional.of(line.group("process"));
        commands.clear();
      } else if (daemon.filter(line.group("process")::equals).isPresent()
          && line.group("text").startsWith("Cmd:")) {
        commands.add(line.group("text").substring("Cmd:".length()));
      }
    }
    return commands;
  }

  /// The lines of the daemons in the log of all supervisors of this node, the last one's too.
  private List<Matcher> logged() {
    try {
      return process.isEmpty()
          ? List.of()
          : Files.readString(process.get().log())
              .lines()
              .map(LOGGED::matcher)
              .filter(Matcher::matches)
              .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("read the log of the supervisor", e);
    }
  }

  /// Its line while a daemon runs, else empty.
  String started(String resource) {
    return text(resource + "/.started");
  }

  /// The daemons that run on the node, by their numbers on this machine; no client has made one
  /// start a server, whose name the kernel cuts to the same. Another node of this machine may have
  /// daemons, too.
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
