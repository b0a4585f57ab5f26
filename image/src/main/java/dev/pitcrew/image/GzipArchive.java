package dev.pitcrew.image;

import dev.pitcrew.testbed.image.Layer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPOutputStream;

/// A tar archive that is compressed by gzip. Its header has no time, so the same contents make the
/// same bytes with the same JDK.
record GzipArchive(Path file) {
  private static final int BUFFER = 1 << 16;

  void write(Layer layer) {
    var partial = file.resolveSibling(file.getFileName() + ".partial");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      layer.writeTo(
          new GZIPOutputStream(
              new BufferedOutputStream(Files.newOutputStream(partial), BUFFER), BUFFER));
      Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("write " + file, e);
    }
  }
}
