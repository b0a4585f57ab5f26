package dev.pitcrew.agent.metrics;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Which pods processes belong to, by the node's `/proc`.
///
/// @param upSeconds how long the node had been running at `readNanos`, by System.nanoTime
record ProcessOrigins(HostRoot host, double upSeconds, long readNanos) {
  private static final String UID =
      "[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32}";

  /// `kubepods-burstable-pod<uid>.slice` with the cgroup driver systemd, where `_` stands for `-`,
  /// and `kubepods/burstable/pod<uid>` with cgroupfs. The UID of a static pod has no `-`.
  private static final Pattern POD =
      Pattern.compile("[/-]pod(?<uid>" + UID + ")(?:\\.slice|[/:\n])");

  /// The kubelet gives each container a file of its own for its last words, as a mount from
  /// `pods/<uid>/containers/<name>/<8 digits>` (makeMounts in pkg/kubelet/kuberuntime).
  private static final Pattern CONTAINER =
      Pattern.compile("/pods/(?<uid>" + UID + ")/containers/(?<name>[a-z0-9-]+)/[0-9a-f]{8} ");

  private static final int MOST_MOUNTS = 1000;

  /// The kernel writes times in hundredths of a second on all systems (proc(5), USER_HZ).
  private static final double TICKS = 100;

  private static final double HAIR = 0.02;
  private static final double NANOS = 1e9;

  /// Of `/proc/PID/stat`: the 20th word after the name, which may hold blanks and parentheses.
  private static final int START = 20;

  /// Where a process runs.
  ///
  /// @param container empty where it is not known
  /// @param startedSeconds after the boot
  record Origin(String podUid, Optional<String> container, double startedSeconds) {}

  static ProcessOrigins of(HostRoot host) {
    double up =
        host.text("/proc/uptime").flatMap(text -> number(text.split(" ", 2)[0])).orElse(Double.NaN);
    return new ProcessOrigins(host, up, System.nanoTime());
  }

  /// Whether a process had been started before a time of System.nanoTime.
  boolean isOlder(Origin origin, long nanos) {
    return origin.startedSeconds() < upSeconds - (readNanos - nanos) / NANOS - HAIR;
  }

  /// Empty for a process that is in no pod, or has ended.
  Optional<Origin> of(int process) {
    String folder = "/proc/" + process;
    // Read first: where the number is given to another process meanwhile, that one has started
    // since.
    Optional<String> uid = host.text(folder + "/cgroup").flatMap(ProcessOrigins::podUid);
    if (uid.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> container = container(host.place(folder + "/mountinfo"), uid.get());
    return host.text(folder + "/stat")
        .flatMap(ProcessOrigins::startedSeconds)
        .map(started -> new Origin(uid.get(), container, started));
  }

  static Optional<String> podUid(String cgroup) {
    Matcher pod = POD.matcher(cgroup + "\n");
    return pod.find() ? Optional.of(pod.group("uid").replace('_', '-')) : Optional.empty();
  }

  private static Optional<String> container(Path mountInfo, String podUid) {
    try (var mounts = Files.lines(mountInfo)) {
      return container(mounts, podUid);
    } catch (IOException | UncheckedIOException _) {
      return Optional.empty();
    }
  }

  /// By the mounts that a process sees. It may have mounted any number more than the kubelet has.
  static Optional<String> container(Stream<String> mounts, String podUid) {
    return mounts
        .limit(MOST_MOUNTS)
        .map(CONTAINER::matcher)
        .filter(it -> it.find() && it.group("uid").equals(podUid))
        .map(it -> it.group("name"))
        .findFirst();
  }

  static Optional<Double> startedSeconds(String stat) {
    String[] words = stat.substring(stat.lastIndexOf(')') + 1).split(" ", -1);
    return words.length > START
        ? number(words[START]).map(ticks -> ticks / TICKS)
        : Optional.empty();
  }

  private static Optional<Double> number(String text) {
    try {
      return Optional.of(Double.valueOf(text));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }
}
