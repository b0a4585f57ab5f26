package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.CheckpointText;
import dev.pitcrew.agent.dra.claims.plan.CheckpointText.Parsed;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The claims of the node, in memory and in `checkpoint.json`. A change is in the file when the
/// call returns, or it is not made. Changes of several threads share one write. None waits for the
/// disk: no container, MIG device, time slice or daemon of a claim outlives the boot in which it
/// was prepared.
///
/// A file that is damaged is set aside as `checkpoint.json.damaged-1` (the newest) to `-5`, and the
/// claims are rebuilt from their CDI files. A file of another boot, or of none, is the start of an
/// empty checkpoint.
public final class ClaimCheckpoint {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimCheckpoint.class);
  private static final int MOST_DAMAGED = 5;

  private final CheckpointPlace place;
  private final Rebuild rebuild;
  private final FileReports reports;

  /// Guards the fields below it; held for no I/O.
  private final ReentrantLock state = new ReentrantLock();

  private final TreeMap<String, PreparedClaim> claims = new TreeMap<>();
  private final TreeMap<String, CheckpointText.Entry> entries = new TreeMap<>();
  private final Set<String> noted = new HashSet<>();
  private long version;
  private long written;

  /// Serializes the writes; taken before [#state].
  private final ReentrantLock writing = new ReentrantLock();

  /// What is known of a claim of which only the CDI file is left.
  public interface Rebuild {
    /// @param devices the names of those in the file
    PreparedClaim claim(String uid, String node, List<String> devices);
  }

  private ClaimCheckpoint(CheckpointPlace place, Rebuild rebuild, FileReports reports) {
    this.place = place;
    this.rebuild = rebuild;
    this.reports = reports;
  }

  /// @param reports receives what is wrong with the file, and that it is right again
  public static ClaimCheckpoint open(
      CheckpointPlace place, ClaimFiles files, Rebuild rebuild, FileReports reports) {
    var checkpoint = new ClaimCheckpoint(place, rebuild, reports);
    checkpoint.load(files);
    return checkpoint;
  }

  public Optional<PreparedClaim> find(String uid) {
    state.lock();
    try {
      return Optional.ofNullable(claims.get(uid));
    } finally {
      state.unlock();
    }
  }

  public SortedMap<String, PreparedClaim> all() {
    state.lock();
    try {
      return new TreeMap<>(claims);
    } finally {
      state.unlock();
    }
  }

  /// The caller holds the lock of the claim.
  ///
  /// @return why the claim is not kept; then it is as it was
  public Optional<String> put(String uid, PreparedClaim claim) {
    return change(uid, Optional.of(claim));
  }

  /// Keeps a new claim in memory, and on the disk with the next write: for one that has changed
  /// nothing yet. A process that is killed before leaves no trace of it, and neither does a change
  /// of it that cannot be written. The caller holds the lock of the claim.
  void note(String uid, PreparedClaim claim) {
    state.lock();
    try {
      set(uid, Optional.of(claim));
      noted.add(uid);
    } finally {
      state.unlock();
    }
  }

  /// The caller holds the lock of the claim.
  ///
  /// @return why the claim is not removed; then it is as it was
  public Optional<String> remove(String uid) {
    return change(uid, Optional.empty());
  }

  private Optional<String> change(String uid, Optional<PreparedClaim> next) {
    Optional<PreparedClaim> before;
    long own;
    state.lock();
    try {
      Optional<PreparedClaim> last = set(uid, next);
      before = noted.remove(uid) ? Optional.empty() : last;
      own = ++version;
    } finally {
      state.unlock();
    }
    writing.lock();
    try {
      if (written >= own) {
        return Optional.empty();
      }
      Optional<String> problem = write();
      if (problem.isPresent()) {
        state.lock();
        try {
          set(uid, before);
        } finally {
          state.unlock();
        }
      }
      return problem;
    } finally {
      writing.unlock();
    }
  }

  private Optional<PreparedClaim> set(String uid, Optional<PreparedClaim> claim) {
    entries.remove(uid);
    claim.ifPresent(it -> entries.put(uid, CheckpointText.Entry.of(uid, it)));
    return Optional.ofNullable(
        claim.isPresent() ? claims.put(uid, claim.get()) : claims.remove(uid));
  }

  /// Under [#writing].
  private Optional<String> write() {
    List<CheckpointText.Entry> snapshot;
    long of;
    state.lock();
    try {
      snapshot = List.copyOf(entries.values());
      of = version;
    } finally {
      state.unlock();
    }
    try {
      WholeFile.replaceForThisBoot(place.file(), CheckpointText.pieces(snapshot, place.bootId()));
      written = of;
      reports.report(CheckpointPlace.NAME, Optional.empty());
      return Optional.empty();
    } catch (IOException e) {
      String problem =
          "%s cannot be written (%s): free space in %s or make it writable"
              .formatted(place.file(), WholeFile.words(e), place.folder());
      reports.report(CheckpointPlace.NAME, Optional.of(problem));
      return Optional.of(problem);
    }
  }

  private void load(ClaimFiles files) {
    switch (read()) {
      case Read.Missing() -> store();
      case Read.Content(Parsed.Sound(var found, var bootId, boolean isCurrent)) -> {
        boolean isOfThisBoot = bootId.isEmpty() || bootId.equals(place.bootId());
        if (isOfThisBoot) {
          found.forEach((uid, claim) -> set(uid, Optional.of(claim)));
        }
        removeFilesOfOthers(files);
        if (!isOfThisBoot || !isCurrent) {
          store();
        }
      }
      case Read.Content(Parsed.Damaged(var reason)) -> rebuild(files, reason);
      case Read.Unreadable(var reason) -> rebuild(files, reason);
    }
  }

  private sealed interface Read {
    record Missing() implements Read {}

    record Content(Parsed parsed) implements Read {}

    record Unreadable(String reason) implements Read {}
  }

  private Read read() {
    try {
      byte[] content = Files.readAllBytes(place.file());
      return new Read.Content(CheckpointText.parse(new String(content, StandardCharsets.UTF_8)));
    } catch (NoSuchFileException _) {
      return new Read.Missing();
    } catch (IOException e) {
      return new Read.Unreadable("it cannot be read: " + WholeFile.words(e));
    }
  }

  /// A failure of the disk is reported by [#write], and again at the first claim.
  private void store() {
    writing.lock();
    try {
      write().ifPresent(problem -> LOG.atWarn().log(problem));
    } finally {
      writing.unlock();
    }
  }

  private void rebuild(ClaimFiles files, String reason) {
    String aside = setAside();
    files
        .found()
        .forEach((uid, devices) -> {
          if (!devices.isEmpty()) {
            set(uid, Optional.of(rebuild.claim(uid, place.node(), devices)));
          }
        });
    String problem =
        "%s was damaged (%s) and is set aside as %s; %d claims were rebuilt from their CDI files"
            .formatted(place.file(), reason, aside, claims.size());
    LOG.atWarn().log(problem);
    store();
    reports.report(CheckpointPlace.NAME, Optional.of(problem));
  }

  private String setAside() {
    Path newest = damaged(1);
    try {
      for (int number = MOST_DAMAGED - 1; number > 0; number--) {
        if (Files.exists(damaged(number))) {
          move(damaged(number), damaged(number + 1));
        }
      }
      move(place.file(), newest);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be set aside", place.file());
    }
    return newest.toString();
  }

  private Path damaged(int number) {
    return place.folder().resolve(CheckpointPlace.NAME + ".damaged-" + number);
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /// Of claims of an earlier boot, and of those whose preparation did not end.
  private void removeFilesOfOthers(ClaimFiles files) {
    files.found().keySet().stream()
        .filter(uid -> !claims.containsKey(uid) || !claims.get(uid).isCompleted())
        .flatMap(uid -> files.remove(uid).stream())
        .forEach(problem -> LOG.atWarn().log(problem));
  }
}
