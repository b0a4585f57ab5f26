package dev.pitcrew.agent.runtime;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Which process listens at a socket, by the host's `/proc`: systemd may hold it too, so the
/// program's name must fit.
final class SocketOwner {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final int INODE = 6;
  private static final int PATH = 7;

  /// As the kernel cuts names of processes (TASK_COMM_LEN).
  private static final int LONGEST_NAME = 15;

  private SocketOwner() {}

  static Optional<Long> of(HostRoot host, String socket, String program) {
    String name = program.substring(0, Math.min(program.length(), LONGEST_NAME));
    return host.names("/proc").stream()
        .filter(NUMBER.asMatchPredicate())
        .filter(process -> host.text("/proc/" + process + "/comm").filter(name::equals).isPresent())
        .filter(process -> holds(host, process, socket))
        .map(Long::valueOf)
        .findFirst();
  }

  private static boolean holds(HostRoot host, String process, String socket) {
    Set<String> inodes = inodes(host, process, socket);
    String folder = "/proc/" + process + "/fd";
    return host.names(folder).stream()
        .map(descriptor -> host.folder().resolve((folder + "/" + descriptor).substring(1)))
        .map(SocketOwner::target)
        .anyMatch(target -> inodes.contains(target));
  }

  /// `/proc/PID/net/unix` has a line for each, with the inode and the path that it was bound to.
  private static Set<String> inodes(HostRoot host, String process, String socket) {
    String other =
        socket.startsWith("/var/run/") ? socket.substring("/var".length()) : "/var" + socket;
    return host.text("/proc/" + process + "/net/unix")
        .orElse("")
        .lines()
        .map(line -> BLANKS.split(line.strip()))
        .filter(fields -> fields.length > PATH)
        .filter(fields -> fields[PATH].equals(socket) || fields[PATH].equals(other))
        .map(fields -> "socket:[" + fields[INODE] + "]")
        .collect(Collectors.toSet());
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException _) {
      return "";
    }
  }
}
