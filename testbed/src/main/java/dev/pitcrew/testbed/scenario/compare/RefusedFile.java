package dev.pitcrew.testbed.scenario.compare;

import java.nio.file.Path;

/// A file that the user wrote cannot be used; the message names the line and the remedy.
public final class RefusedFile extends RuntimeException {

  public RefusedFile(Path file, String problem) {
    super(file + ": " + problem);
  }

  public RefusedFile(Path file, int line, String problem) {
    super(file + ":" + line + ": " + problem);
  }
}
