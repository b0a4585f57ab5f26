package dev.pitcrew.image;

import dev.pitcrew.testbed.image.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// A tar archive that xz has compressed. One thread and a level that is named make the same bytes
/// of the same contents on every machine with the same xz.
///
/// @param mostBytes a larger archive is refused and not kept
record XzArchive(Path file, long mostBytes) {
  private static final List<String> COMPRESS = List.of("xz", "--threads=1", "-6", "--stdout");

  void write(Layer layer) {
    var partial = file.resolveSibling(file.getFileName() + ".partial");
    try {
      compress(layer, partial);
      var size = Files.size(partial);
      if (size > mostBytes) {
        Files.delete(partial);
        throw new ImageException(
            "%s would have %d bytes, of %d that it may have: leave something out of it"
                .formatted(file.getFileName(), size, mostBytes));
      }
      Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("write " + file, e);
    }
  }

  private static void compress(Layer layer, Path partial) throws IOException {
    var xz =
        start(
            new ProcessBuilder(COMPRESS)
                .redirectOutput(partial.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT));
    try (var out = xz.getOutputStream()) {
      layer.writeTo(out);
    }
    try {
      var status = xz.waitFor();
      if (status != 0) {
        throw new ImageException("xz ended with status " + status);
      }
    } catch (InterruptedException e) {
      xz.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ImageException("compressing was interrupted");
    }
  }

  private static Process start(ProcessBuilder builder) {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new ImageException(
          "xz cannot be started: run 'apt-get install xz-utils' or 'dnf install xz' (%s)"
              .formatted(e.getMessage()));
    }
  }
}
