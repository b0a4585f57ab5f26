package dev.pitcrew.agent.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/// Where a command's result goes: a file, replaced as a whole so that a reader never sees half of
/// it, or standard output.
final class Output {
  private static final String MODE = "rw-r--r--";

  private Output() {}

  /// @param file an empty text is standard output
  static void write(String file, String text, PrintWriter standardOutput) throws IOException {
    if (file.isEmpty()) {
      standardOutput.print(text);
      standardOutput.flush();
    } else {
      replace(Path.of(file).toAbsolutePath(), text);
    }
  }

  /// The new file lies beside the old one, hidden from feature discovery, until it is whole.
  private static void replace(Path file, String text) throws IOException {
    Path folder = file.resolveSibling(".").normalize();
    Files.createDirectories(folder);
    Path draft = Files.createTempFile(folder, "." + file.getFileName(), "");
    try {
      Files.writeString(draft, text);
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString(MODE));
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
