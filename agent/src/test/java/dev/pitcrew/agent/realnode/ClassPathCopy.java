package dev.pitcrew.agent.realnode;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.stream.Stream;

/// The class path of this JVM as one folder, for a JVM that sees only that folder of this machine.
final class ClassPathCopy {
  private ClassPathCopy() {}

  /// @return the class path of the copy
  static String into(Path folder) throws IOException {
    var entries = new ArrayList<String>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path source = Path.of(entry);
      if (Files.exists(source)) {
        Path copy = folder.resolve(entries.size() + "-" + source.getFileName());
        copy(source, copy);
        entries.add(copy.toString());
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.toList()) {
        Path copy = target.resolve(source.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }
}
