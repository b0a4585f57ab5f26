package dev.pitcrew.cli.diag;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// A zip file that is there as a whole or not at all. Only its user may read it.
///
/// It is written below another name in the same folder and renamed in the end. What ends the
/// process before, such as Ctrl-C, removes it.
final class Archive implements AutoCloseable {
  private final Path target;
  private final boolean replaces;
  private final Path partial;
  private final ZipOutputStream zip;
  private boolean isOver;

  /// @param replaces whether a file of that name may be replaced
  Archive(Path target, boolean replaces) throws IOException {
    this.target = target.toAbsolutePath();
    this.replaces = replaces;
    this.partial =
        Files.createTempFile(
            this.target.getParent(),
            "." + this.target.getFileName(),
            ".partial",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    this.zip = new ZipOutputStream(Files.newOutputStream(partial));
  }

  synchronized void add(String file, String content) throws IOException {
    if (isOver) {
      throw new IOException("the archive was given up");
    }
    zip.putNextEntry(new ZipEntry(file));
    zip.write(content.getBytes(UTF_8));
    zip.closeEntry();
  }

  /// @throws java.nio.file.FileAlreadyExistsException where there is one that may not be replaced
  synchronized void complete() throws IOException {
    if (isOver) {
      throw new IOException("the archive was given up");
    }
    zip.close();
    if (!replaces) {
      // Claims the name: a look whether it is there could be followed by another program's file.
      Files.createFile(target);
    }
    Files.move(
        partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    isOver = true;
  }

  /// Removes what is not complete.
  @Override
  public synchronized void close() {
    if (isOver) {
      return;
    }
    isOver = true;
    try {
      zip.close();
    } catch (IOException _) {
      // A full disk, of which the user knows already: what matters is that the file goes.
    }
    partial.toFile().delete();
  }
}
