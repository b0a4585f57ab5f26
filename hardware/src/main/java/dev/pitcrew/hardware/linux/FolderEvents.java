package dev.pitcrew.hardware.linux;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Files that appear in folders or go, and the folders themselves where they are not there yet.
public final class FolderEvents implements AutoCloseable {
  private final List<Names> wanted;
  private final Runnable onEvent;
  private final WatchService watcher;

  /// The names that matter in a folder.
  ///
  /// @param folder absolute and normalized
  /// @param prefix how they begin; an empty text takes all
  public record Names(Path folder, String prefix) {

    boolean contain(Path in, Path name) {
      return in.equals(folder) ? name.toString().startsWith(prefix) : leadTo(in, name);
    }

    private boolean leadTo(Path in, Path name) {
      return folder.startsWith(in) && name.equals(folder.getName(in.getNameCount()));
    }

    /// The folder, or as much of the way to it as is there.
    Optional<Path> place() {
      return Stream.iterate(folder, path -> path != null, Path::getParent)
          .filter(Files::isDirectory)
          .findFirst();
    }
  }

  private FolderEvents(List<Names> wanted, Runnable onEvent, WatchService watcher) {
    this.wanted = List.copyOf(wanted);
    this.onEvent = onEvent;
    this.watcher = watcher;
  }

  /// @param onEvent called on a thread of its own
  public static FolderEvents of(List<Names> wanted, Runnable onEvent) throws IOException {
    var events =
        new FolderEvents(
            wanted, onEvent, wanted.getFirst().folder().getFileSystem().newWatchService());
    events.register();
    Thread.ofVirtual().name("folder-events").start(events::listen);
    return events;
  }

  private void listen() {
    try {
      while (true) {
        var key = watcher.take();
        boolean isWanted = key.pollEvents().stream().anyMatch(event -> isWanted(key, event));
        boolean isThere = key.reset();
        if (isWanted || !isThere) {
          register();
          onEvent.run();
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException _) {
      // This is how it ends.
    }
  }

  private boolean isWanted(WatchKey key, WatchEvent<?> event) {
    return event.kind().equals(OVERFLOW)
        || (event.context() instanceof Path name
            && key.watchable() instanceof Path in
            && wanted.stream().anyMatch(names -> names.contain(in, name)));
  }

  /// Again after each event: a folder that has come is watched itself.
  private void register() {
    wanted.forEach(this::register);
  }

  /// No event reports what comes between the look and the registration, so it looks again.
  private void register(Names names) {
    Optional<Path> place = Optional.empty();
    while (!place.equals(names.place())) {
      place = names.place();
      place.ifPresent(this::register);
    }
  }

  private void register(Path folder) {
    try {
      folder.register(watcher, ENTRY_CREATE, ENTRY_DELETE);
    } catch (IOException _) {
      // It has gone again, which an event of its parent reports.
    }
  }

  @Override
  public void close() throws IOException {
    watcher.close();
  }
}
