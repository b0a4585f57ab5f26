package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.Part;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which jobs of a batch system run on which device: files named `<gpu>` or `<gpu>.<gpu instance>`,
/// with one job a line, that its scripts write before and remove after a job.
///
/// @param problem why the folder cannot be read
record Jobs(Map<String, List<String>> byDevice, Optional<String> problem) {
  static final Jobs NONE = new Jobs(Map.of(), Optional.empty());

  private static final Pattern NAME = Pattern.compile("\\d+(?:\\.\\d+)?");

  /// No batch system runs nearly as many on a GPU.
  private static final int MOST_JOBS = 64;

  private static final long MOST_BYTES = 64 << 10;

  Jobs {
    byDevice = Map.copyOf(byDevice);
  }

  static Jobs read(Path folder) {
    var byDevice = new HashMap<String, List<String>>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        if (NAME.matcher(name).matches() && Files.isRegularFile(file)) {
          byDevice.put(name, jobs(file));
        }
      }
    } catch (IOException e) {
      return new Jobs(Map.of(), Optional.of("%s: %s".formatted(folder, e)));
    }
    return new Jobs(byDevice, Optional.empty());
  }

  /// A file that goes away meanwhile has no jobs.
  private static List<String> jobs(Path file) {
    try {
      return Files.size(file) > MOST_BYTES
          ? List.of()
          : Files.readAllLines(file).stream()
              .map(String::strip)
              .filter(line -> !line.isEmpty())
              .distinct()
              .limit(MOST_JOBS)
              .toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  List<String> of(Part part) {
    String gpu = String.valueOf(part.gpu().index());
    return byDevice.getOrDefault(
        part.instance().map(it -> gpu + "." + it.id()).orElse(gpu), List.of());
  }
}
