package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.image.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The chart as one archive. Helm packages it, with the time of the day in each entry; the same
/// files are then packed again with the times of the Unix epoch, so that the same chart makes the
/// same archive.
///
/// @param registry where the image is, which becomes the default of `pitcrew.image.repository`;
///   with nothing a user has to set it
record ChartPackage(Path chart, Optional<String> registry) {
  /// The default that says nothing, in values.yaml and in the copy that templates read.
  private static final String UNSET = "    repository: \"\"\n    image: pitcrew\n";

  private static final String SET = "    repository: %s\n    image: pitcrew\n";

  /// Returns the archive, which lies in `target`.
  Path writeInto(Path target) {
    try {
      var work = Files.createTempDirectory("pitcrew-chart-");
      try {
        return write(work, target);
      } finally {
        FileTree.delete(work);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("package the chart " + chart, e);
    }
  }

  private Path write(Path work, Path target) throws IOException {
    var source = work.resolve("source").resolve(chart.getFileName());
    var copy = new Chart(chart).copy(source, UNSET, registry.map(SET::formatted).orElse(UNSET));
    refuseUnset(source);
    copy.packageInto(work);
    var packed = packed(work);
    var unpacked = Files.createDirectory(work.resolve("unpacked"));
    var run =
        CommandRun.of(List.of("tar", "-xzf", packed.toString(), "-C", unpacked.toString()), work);
    if (!run.succeeded()) {
      throw new ImageException("tar cannot unpack what Helm has packed: " + run.lastLines());
    }
    var archive = target.resolve(packed.getFileName().toString());
    new GzipArchive(archive).write(Layer.titled("chart").withTree("/", unpacked));
    return archive;
  }

  /// A value that was not found is not set.
  private void refuseUnset(Path source) throws IOException {
    for (var file : List.of("values.yaml", "files/values.yaml")) {
      var text = Files.readString(source.resolve(file));
      if (!text.contains(registry.map(SET::formatted).orElse(UNSET))) {
        throw new ImageException(
            "%s has no pitcrew.image.repository as the packaging expects it: %s"
                .formatted(chart.resolve(file), UNSET.strip()));
      }
    }
  }

  private static Path packed(Path folder) throws IOException {
    try (var archives = Files.newDirectoryStream(folder, "*.tgz")) {
      return archives.iterator().next();
    }
  }
}
