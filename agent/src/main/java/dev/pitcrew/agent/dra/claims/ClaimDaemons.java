package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.ClaimPlaces.MpsPlaces;
import dev.pitcrew.agent.dra.claims.plan.ClaimDaemon;
import dev.pitcrew.agent.mps.DaemonFile;
import dev.pitcrew.agent.mps.DaemonMarks;
import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The MPS control daemons of claims. The supervisor of MPS daemons runs them in a pod of its own,
/// so that no restart of the agent takes a client its context: a line of [DaemonFile#CLAIMS] is a
/// daemon. Here lines come and go, and calls wait until the supervisor has followed.
final class ClaimDaemons {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimDaemons.class);

  /// A daemon is there within half a second. Kubelet waits 45 s for a call, in which a failed
  /// prepare is undone too.
  private static final Duration TO_START = Duration.ofSeconds(20);

  /// The supervisor gives a daemon and its clients five seconds.
  private static final Duration TO_END = Duration.ofSeconds(10);

  /// For what no event reports, such as the end of the supervisor.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private static final Pattern GPU = Pattern.compile("=(GPU-[^=]+)=");
  private static final String SUPERVISOR =
      "see the pods of DaemonSet nvidia-device-plugin-mps-control-daemon";

  private final MpsPlaces places;
  private final ReentrantLock writing = new ReentrantLock();

  /// By the names of the daemons.
  private final TreeMap<String, String> lines = new TreeMap<>();

  private ClaimDaemons(MpsPlaces places) {
    this.places = places;
  }

  /// Goes on with the daemons of claims that are in the checkpoint. Those of others end.
  ///
  /// @param claims the UIDs
  static ClaimDaemons open(MpsPlaces places, Set<String> claims) {
    var daemons = new ClaimDaemons(places);
    Optional<String> text = places.orders().read(DaemonFile.CLAIMS);
    daemons.lines.putAll(text.map(DaemonFile::lines).orElseGet(daemons::running));
    daemons.lines.keySet().removeIf(name -> !claims.contains(uid(name)));
    if (text.isPresent() || !daemons.lines.isEmpty()) {
      daemons.write();
    }
    return daemons;
  }

  /// Where the file is lost: what the supervisor says of the daemons that run.
  private Map<String, String> running() {
    var found = new TreeMap<String, String>();
    for (Path daemon : folders(places.marks().get().resolve(MpsDaemon.CLAIMS))) {
      try {
        found.putAll(DaemonFile.lines(Files.readString(daemon.resolve(DaemonMarks.STARTED))));
      } catch (IOException _) {
        // It does not run.
      }
    }
    return found;
  }

  private static String uid(String name) {
    return name.startsWith(MpsDaemon.CLAIMS)
        ? ClaimDaemon.uid(name.substring(MpsDaemon.CLAIMS.length()))
        : "";
  }

  /// Returns once all of them answer.
  ///
  /// @return why they do not
  Optional<String> start(List<ClaimDaemon> wanted) {
    var marks = new DaemonMarks(places.marks().get());
    Optional<String> problem = want(wanted);
    for (ClaimDaemon daemon : wanted) {
      problem = problem.or(() -> awaitStart(marks, daemon.daemon()));
    }
    return problem;
  }

  private Optional<String> want(List<ClaimDaemon> wanted) {
    for (ClaimDaemon daemon : wanted) {
      if (daemon.daemon().gpus().size() > DaemonFile.MOST_GPUS) {
        return Optional.of(
            "sharing.strategy is \"MPS\" for %d devices; allowed: %d devices of a request, since its MPS control daemon takes no more"
                .formatted(daemon.daemon().gpus().size(), DaemonFile.MOST_GPUS));
      }
    }
    writing.lock();
    try {
      wanted.forEach(it -> lines.put(it.daemon().resource(), DaemonFile.line(it.daemon())));
      return lines.size() > DaemonFile.MOST_DAEMONS
          ? Optional.of(
              "this node has an MPS control daemon for each of %d claims and takes no more; wait until one of them ends"
                  .formatted(DaemonFile.MOST_DAEMONS))
          : write();
    } finally {
      writing.unlock();
    }
  }

  private Optional<String> write() {
    return places.orders().keep(DaemonFile.CLAIMS, DaemonFile.text(lines.values()));
  }

  /// How a start has ended.
  private sealed interface Start {
    record Ready() implements Start {}

    record Failed(String reason) implements Start {}
  }

  private static Optional<String> awaitStart(DaemonMarks marks, MpsDaemon daemon) {
    Start start =
        await(marks.folder(daemon), TO_START, () -> starting(marks, daemon))
            .orElseGet(() ->
                new Start.Failed(
                    "is not ready after %d s; %s".formatted(TO_START.toSeconds(), SUPERVISOR)));
    return switch (start) {
      case Start.Ready() -> Optional.empty();
      case Start.Failed(var reason) -> Optional.of("the MPS control daemon of the claim " + reason);
    };
  }

  /// Empty while it may yet start.
  private static Optional<Start> starting(DaemonMarks marks, MpsDaemon daemon) {
    if (!marks.hasSupervisor()) {
      return Optional.of(
          new Start.Failed("has no pod on this node in which it could run; " + SUPERVISOR));
    }
    if (marks.isStarted(daemon)) {
      return Optional.of(new Start.Ready());
    }
    return marks.failure(daemon).map(reason -> new Start.Failed("does not run: " + reason));
  }

  /// The UUIDs of the whole GPUs that the daemons of a claim share.
  List<String> gpus(String uid) {
    writing.lock();
    try {
      return lines.entrySet().stream()
          .filter(line -> uid(line.getKey()).equals(uid))
          .flatMap(line -> GPU.matcher(line.getValue()).results())
          .map(found -> found.group(1))
          .toList();
    } finally {
      writing.unlock();
    }
  }

  /// Returns once nothing of the daemons of a claim is left.
  ///
  /// @return why something is
  Optional<String> end(String uid) {
    Optional<String> unwritten = remove(uid);
    if (unwritten.isPresent()) {
      return unwritten;
    }
    var marks = new DaemonMarks(places.marks().get());
    return folders(marks.root().resolve(MpsDaemon.CLAIMS)).stream()
        .filter(folder -> ClaimDaemon.uid(folder.getFileName().toString()).equals(uid))
        .filter(folder -> await(folder, TO_END, () -> ended(marks, folder)).isEmpty())
        .findFirst()
        .map(folder ->
            "the MPS control daemon of the claim has not ended after %d s; %s"
                .formatted(TO_END.toSeconds(), SUPERVISOR));
  }

  private Optional<String> remove(String uid) {
    writing.lock();
    try {
      var before = new TreeMap<>(lines);
      if (!lines.keySet().removeIf(name -> uid(name).equals(uid))) {
        return Optional.empty();
      }
      Optional<String> unwritten = write();
      if (unwritten.isPresent()) {
        lines.putAll(before);
      }
      return unwritten;
    } finally {
      writing.unlock();
    }
  }

  /// Without a supervisor no daemon runs, and the next one removes what is left.
  private static Optional<Boolean> ended(DaemonMarks marks, Path folder) {
    return Files.notExists(folder) || !marks.hasSupervisor() ? Optional.of(true) : Optional.empty();
  }

  /// @return what was looked for; empty after the limit
  private static <T> Optional<T> await(Path folder, Duration limit, Supplier<Optional<T>> look) {
    long endNanos = System.nanoTime() + limit.toNanos();
    var changes = new Semaphore(0);
    try (FolderEvents _ = FolderEvents.of(List.of(new Names(folder, "")), changes::release)) {
      Optional<T> seen = look.get();
      while (seen.isEmpty() && System.nanoTime() < endNanos) {
        long left = Math.min(endNanos - System.nanoTime(), LOOK_AGAIN.toNanos());
        if (changes.tryAcquire(left, TimeUnit.NANOSECONDS)) {
          changes.drainPermits();
        }
        seen = look.get();
      }
      return seen;
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be watched", folder);
      return look.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static List<Path> folders(Path of) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(of)) {
      var folders = new ArrayList<Path>();
      found.forEach(folders::add);
      return folders;
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException | DirectoryIteratorException e) {
      LOG.atWarn().setCause(e).log("{} cannot be read", of);
      return List.of();
    }
  }
}
