package dev.pitcrew.agent.state;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/// Files that are replaced as a whole, so that a reader never sees half of one, whenever the
/// process or the machine dies.
public final class WholeFile {
  /// What a user gave the operator may be confidential on the node.
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final FileAttribute<Set<PosixFilePermission>> READABLE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));

  private static final int BUFFER = 1 << 14;

  private WholeFile() {}

  /// The new file lies beside the old one, hidden, until it is on the disk. Its name is always the
  /// same, so that a process that dies meanwhile leaves one such file at most.
  public static void replace(Path file, String text) throws IOException {
    replace(file, text, OWNER_ONLY);
  }

  /// As [#replace(Path, String)], readable by all users.
  public static void replaceForAll(Path file, String text) throws IOException {
    replace(file, text, READABLE);
  }

  /// As [#replace(Path, String)], for a file whose content means nothing to the next boot: it does
  /// not wait for the disk. A process that is killed leaves the file whole all the same; a machine
  /// that loses its power may leave an empty one.
  ///
  /// @param pieces of the text, in UTF-8
  public static void replaceForThisBoot(Path file, List<byte[]> pieces) throws IOException {
    replace(file, pieces, OWNER_ONLY, false);
  }

  /// As [#replace(Path, String)], for a file of another program or user: who may read and write it
  /// stays as it is. A new one is for its owner only.
  public static void replaceLike(Path file, String text) throws IOException {
    if (Files.notExists(file)) {
      replace(file, text, OWNER_ONLY);
      return;
    }
    Path draft = draft(file);
    try {
      writeLike(file, draft, text);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /// As [#replaceLike], but only where the file says `before`, whatever white space is around it,
  /// and does so still when the new one is ready: one that its owner removes does not come back.
  ///
  /// @return whether it did
  public static boolean replaceIf(Path file, String before, String text) throws IOException {
    if (!says(file, before)) {
      return false;
    }
    Path draft = draft(file);
    try {
      writeLike(file, draft, text);
      if (!says(file, before)) {
        return false;
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return true;
    } catch (NoSuchFileException _) {
      return false;
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  private static boolean says(Path file, String text) throws IOException {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip().equals(text);
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  private static void writeLike(Path file, Path draft, String text) throws IOException {
    var before = Files.readAttributes(file, PosixFileAttributes.class);
    write(draft, pieces(text), OWNER_ONLY, true);
    var view = Files.getFileAttributeView(draft, PosixFileAttributeView.class);
    var now = view.readAttributes();
    if (!now.owner().equals(before.owner()) || !now.group().equals(before.group())) {
      view.setOwner(before.owner());
      view.setGroup(before.group());
    }
    view.setPermissions(before.permissions());
  }

  private static Path draft(Path file) {
    Path folder = file.toAbsolutePath().resolveSibling(".").normalize();
    return folder.resolve("." + file.getFileName() + ".draft");
  }

  private static void replace(Path file, String text, FileAttribute<Set<PosixFilePermission>> mode)
      throws IOException {
    replace(file, pieces(text), mode, true);
  }

  private static List<byte[]> pieces(String text) {
    return List.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void replace(
      Path file,
      List<byte[]> pieces,
      FileAttribute<Set<PosixFilePermission>> mode,
      boolean isFlushed)
      throws IOException {
    Path folder = file.toAbsolutePath().resolveSibling(".").normalize();
    Files.createDirectories(folder);
    Path draft = draft(file);
    try {
      write(draft, pieces, mode, isFlushed);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /// Removes a file, and what a process that died left of a new one.
  ///
  /// @return whether there was a file
  public static boolean remove(Path file) throws IOException {
    Files.deleteIfExists(draft(file));
    return Files.deleteIfExists(file);
  }

  /// What went wrong, without the name of the draft.
  public static String words(IOException failure) {
    return failure instanceof FileSystemException named && named.getReason() != null
        ? named.getReason()
        : String.valueOf(failure.getMessage());
  }

  private static void write(
      Path draft,
      List<byte[]> pieces,
      FileAttribute<Set<PosixFilePermission>> mode,
      boolean isFlushed)
      throws IOException {
    Files.deleteIfExists(draft);
    Files.createFile(draft, mode);
    write(draft, pieces, isFlushed);
  }

  /// Writes down to the disk. Not through a channel, which an interrupted thread cannot write to:
  /// an agent that is stopping would report that as a failure of the disk.
  public static void flush(Path file, byte[] content) throws IOException {
    write(file, List.of(content), true);
  }

  private static void write(Path file, List<byte[]> pieces, boolean isFlushed) throws IOException {
    try (var out = new FileOutputStream(file.toFile())) {
      var buffer = new BufferedOutputStream(out, BUFFER);
      for (byte[] piece : pieces) {
        buffer.write(piece);
      }
      buffer.flush();
      if (isFlushed) {
        out.getFD().sync();
      }
    }
  }
}
