package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.FieldTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// A counters file that may change while its counters are served. It is looked at once in each
/// round, which finds a file that was replaced, one that was written in place and one behind links,
/// as those of a ConfigMap's volume are.
public final class CountersFile {
  private final Supplier<Path> place;
  private final Consumer<String> report;
  private volatile CountersInForce inForce;
  private Optional<Stamp> seen = Optional.empty();
  private boolean isRead;
  private volatile boolean isDoubtful;

  /// What differs between two versions of a file.
  private record Stamp(FileTime changed, long length, String identity) {}

  /// @param place where it is now
  /// @param otherwise what is served until it was right once
  /// @param report receives the problems of the file
  public CountersFile(Supplier<Path> place, CountersInForce otherwise, Consumer<String> report) {
    this.place = place;
    this.inForce = otherwise;
    this.report = report;
  }

  /// The next look reads it, however it looks.
  public void doubt() {
    isDoubtful = true;
  }

  /// What is in force now, where that has changed since the last look.
  public synchronized Optional<CountersInForce> changed() {
    Path file = place.get();
    Optional<Stamp> now = stamp(file);
    if (isRead && !isDoubtful && now.equals(seen)) {
      return Optional.empty();
    }
    isRead = true;
    isDoubtful = false;
    seen = now;
    CountersInForce read = inForce.read(FieldTable.load(), file);
    if (!read.problems().equals(inForce.problems())) {
      read.problem().ifPresent(report);
    }
    boolean isSame = read.equals(inForce);
    inForce = read;
    return isSame ? Optional.empty() : Optional.of(read);
  }

  private static Optional<Stamp> stamp(Path file) {
    try {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return Optional.of(
          new Stamp(
              attributes.lastModifiedTime(),
              attributes.size(),
              Objects.toString(attributes.fileKey(), "")));
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
