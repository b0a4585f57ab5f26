package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.mps.DaemonFile;
import dev.pitcrew.agent.mps.DaemonMarks;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Stands for `pitcrew-mps` (native/mps/README.md): holds its lock while it lives, follows the
/// lines of claims, and leaves its marks. What its daemons do is tested with the program itself.
final class TestSupervisor implements AutoCloseable {
  /// What comes of a daemon.
  enum Daemons {
    START,
    FAIL
  }

  private final Path orders;
  private final Path marks;
  private final Daemons daemons;
  private final FileChannel lock;
  private final FolderEvents events;
  private final Map<String, String> running = new TreeMap<>();
  private final List<String> started = new ArrayList<>();

  private TestSupervisor(TestNode node, Daemons daemons) throws IOException {
    this.orders = node.state().resolve(DaemonFile.CLAIMS);
    this.marks = node.marks();
    this.daemons = daemons;
    Files.createDirectories(marks);
    Path folder = Files.createDirectories(node.state().resolve("mps"));
    this.lock =
        FileChannel.open(
            marks.resolve(DaemonMarks.LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    this.events = FolderEvents.of(List.of(new Names(folder, "")), this::follow);
  }

  static TestSupervisor start(TestNode node, Daemons daemons) throws IOException {
    var supervisor = new TestSupervisor(node, daemons);
    var _ = supervisor.lock.lock();
    supervisor.follow();
    return supervisor;
  }

  private synchronized void follow() {
    try {
      Map<String, String> wanted = DaemonFile.lines(Files.readString(orders));
      for (String name : List.copyOf(running.keySet())) {
        if (!wanted.containsKey(name)) {
          end(name);
        }
      }
      for (Map.Entry<String, String> daemon : wanted.entrySet()) {
        if (!daemon.getValue().equals(running.put(daemon.getKey(), daemon.getValue()))) {
          begin(daemon.getKey(), daemon.getValue());
        }
      }
    } catch (NoSuchFileException _) {
      // Nothing is wanted yet.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void begin(String name, String line) throws IOException {
    Path folder = Files.createDirectories(marks.resolve(name));
    switch (daemons) {
      case START -> {
        started.add(line);
        move(folder, DaemonMarks.STARTED, line);
      }
      case FAIL -> move(folder, DaemonMarks.TROUBLE, "it ended with exit code 1");
    }
  }

  private static void move(Path folder, String name, String text) throws IOException {
    Path draft = folder.resolve(name + ".draft");
    Files.writeString(draft, text);
    Files.move(draft, folder.resolve(name));
  }

  private void end(String name) throws IOException {
    running.remove(name);
    Path folder = marks.resolve(name);
    Files.deleteIfExists(folder.resolve(DaemonMarks.STARTED));
    Files.deleteIfExists(folder.resolve(DaemonMarks.TROUBLE));
    Files.delete(folder);
  }

  /// The lines of the daemons that run, or are tried.
  synchronized List<String> running() {
    return List.copyOf(running.values());
  }

  /// The lines of all that were started.
  synchronized List<String> started() {
    return List.copyOf(started);
  }

  @Override
  public void close() throws IOException {
    events.close();
    lock.close();
  }
}
