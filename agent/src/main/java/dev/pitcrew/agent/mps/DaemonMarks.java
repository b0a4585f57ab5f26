package dev.pitcrew.agent.mps;

import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.device.mps.MpsPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What the supervisor of the daemons leaves in their folder: `<resource>/.started`, with the line
/// of [DaemonFile] that the daemon runs with, for just as long as it runs; and
/// `<resource>/.problem` with the reason while it does not.
///
/// @param root the folder of the daemons, as this process sees it
public record DaemonMarks(Path root) {
  public static final String STARTED = ".started";
  public static final String TROUBLE = ".trouble";
  public static final String LOCK = ".lock";

  private static final int MOST_CHARACTERS = 512;
  private static final Path LOCKS = Path.of("/proc/locks");

  /// @param isWatchedOver whether the marks can be believed
  public Map<String, String> down(MpsPlan plan, boolean isWatchedOver) {
    if (!isWatchedOver) {
      return plan.unknown(
          "no pod runs the MPS control daemons on this node: see DaemonSet nvidia-device-plugin-mps-control-daemon");
    }
    var down = new TreeMap<>(plan.refused());
    plan.daemons()
        .forEach(
            daemon -> problem(daemon).ifPresent(reason -> down.put(daemon.resource(), reason)));
    return down;
  }

  /// Whether a supervisor lives: it holds the lock. It is looked up in the kernel's list, which has
  /// the locks of all processes of the node: several callers of one process cannot ask for the lock
  /// itself. Device numbers differ from those of `stat` on some file systems, so the inode decides.
  public boolean hasSupervisor() {
    try {
      String inode = ":" + Files.getAttribute(lock(), "unix:ino") + " ";
      return Files.readAllLines(LOCKS).stream().anyMatch(line -> line.contains(inode));
    } catch (IOException _) {
      return false;
    }
  }

  /// Whether the daemon runs as its line says.
  public boolean isStarted(MpsDaemon daemon) {
    return text(daemon, STARTED).filter(DaemonFile.line(daemon)::equals).isPresent();
  }

  /// Why the daemon does not run; empty while nothing is known.
  public Optional<String> failure(MpsDaemon daemon) {
    return text(daemon, TROUBLE);
  }

  Path lock() {
    return root.resolve(LOCK);
  }

  public Path folder(MpsDaemon daemon) {
    return root.resolve(daemon.resource());
  }

  private Optional<String> problem(MpsDaemon daemon) {
    Optional<String> started = text(daemon, STARTED);
    if (started.filter(DaemonFile.line(daemon)::equals).isPresent()) {
      return Optional.empty();
    }
    return text(daemon, TROUBLE)
        .map(reason -> "its MPS control daemon does not run: " + reason)
        .or(() ->
            Optional.of(
                started.isPresent()
                    ? "its MPS control daemon is being restarted with other limits"
                    : "its MPS control daemon has not started yet"));
  }

  private Optional<String> text(MpsDaemon daemon, String name) {
    try {
      String text = Files.readString(folder(daemon).resolve(name)).strip();
      boolean isLong = name.equals(TROUBLE) && text.length() > MOST_CHARACTERS;
      return Optional.of(isLong ? text.substring(0, MOST_CHARACTERS) : text);
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
