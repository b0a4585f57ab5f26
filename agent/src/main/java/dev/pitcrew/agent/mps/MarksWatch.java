package dev.pitcrew.agent.mps;

import dev.pitcrew.core.ThreadEnd;
import dev.pitcrew.device.mps.MpsPlan;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices when the marks of the daemons change, and when their supervisor ends: it holds a lock,
/// which the kernel releases when that process ends, however it ends.
public final class MarksWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MarksWatch.class);

  private final DaemonMarks marks;
  private final Runnable onChange;
  private final Optional<FolderEvents> events;
  private Optional<Thread> waiting = Optional.empty();

  private MarksWatch(DaemonMarks marks, Runnable onChange, Optional<FolderEvents> events) {
    this.marks = marks;
    this.onChange = onChange;
    this.events = events;
  }

  /// @param onChange called on any thread
  public static MarksWatch over(DaemonMarks marks, MpsPlan plan, Runnable onChange) {
    return new MarksWatch(marks, onChange, events(marks, plan, onChange));
  }

  private static Optional<FolderEvents> events(DaemonMarks marks, MpsPlan plan, Runnable onChange) {
    List<Names> names =
        Stream.concat(
                Stream.of(new Names(marks.root(), DaemonMarks.LOCK)),
                plan.daemons().stream()
                    .map(marks::folder)
                    .flatMap(folder ->
                        Stream.of(DaemonMarks.STARTED, DaemonMarks.TROUBLE)
                            .map(name -> new Names(folder, name))))
            .toList();
    try {
      return Optional.of(FolderEvents.of(names, onChange));
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} is looked at from time to time only", marks.root());
      return Optional.empty();
    }
  }

  /// Whether a supervisor watches over the daemons; if so, its end will be noticed.
  public synchronized boolean isWatchedOver() {
    try (FileChannel file = FileChannel.open(marks.lock(), StandardOpenOption.READ)) {
      if (waiting.filter(Thread::isAlive).isPresent()) {
        return true;
      }
      try (FileLock ours = file.tryLock(0, Long.MAX_VALUE, true)) {
        if (ours != null) {
          return false;
        }
      }
    } catch (IOException _) {
      return false;
    }
    waiting = Optional.of(Thread.ofPlatform().daemon().name("mps-lock").start(this::awaitEnd));
    return true;
  }

  /// The lock is given back at once: it is the next one's who watches over them.
  private void awaitEnd() {
    try (FileChannel file = FileChannel.open(marks.lock(), StandardOpenOption.READ);
        FileLock _ = file.lock(0, Long.MAX_VALUE, true)) {
      LOG.atInfo().log("the MPS control daemons have no supervisor any more");
    } catch (IOException _) {
      return;
    }
    onChange.run();
  }

  /// Who waits has gone when it returns: two of one process must not ask for the same lock.
  @Override
  public synchronized void close() {
    events.ifPresent(MarksWatch::close);
    waiting.ifPresent(ThreadEnd::of);
  }

  private static void close(FolderEvents events) {
    try {
      events.close();
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("a watch did not end well");
    }
  }
}
