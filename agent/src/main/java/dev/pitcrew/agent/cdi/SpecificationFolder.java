package dev.pitcrew.agent.cdi;

import dev.pitcrew.agent.state.WholeFile;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/// A folder that container runtimes watch for specifications, such as `/var/run/cdi`. A runtime
/// sees the old file or the new one, never a part, and a file that would not change is not touched.
///
/// One writer at a time; what a killed writer left behind goes away with the next change.
public record SpecificationFolder(Path folder) {
  /// What became of a file.
  public sealed interface Outcome {
    record Written(Path file) implements Outcome {}

    record Unchanged(Path file) implements Outcome {}

    record Removed(Path file) implements Outcome {}

    /// What was there before is still there.
    ///
    /// @param message says the folder, the cause and the remedy
    record Failed(Path file, String message) implements Outcome {}
  }

  /// Runtimes read `*.json` and `*.yaml` only.
  private static final String UNFINISHED = ".tmp";

  private static final String PREFIX = "spec.";
  private static final int RANDOM_BITS = 36;

  public Outcome write(CdiSpecification specification, CdiDocument format) {
    return write(format.fileName(specification), format.text(specification));
  }

  /// Whether a file that is there already has all names of a specification, be it with other edits.
  public boolean hasAllNames(CdiSpecification specification, CdiDocument format) {
    try {
      String text = Files.readString(folder.resolve(format.fileName(specification)));
      return specification.devices().stream()
          .allMatch(device -> text.contains("\"" + device.name() + "\""));
    } catch (IOException _) {
      return false;
    }
  }

  Outcome write(String name, String text) {
    Path file = folder.resolve(name);
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    try {
      if (Files.exists(file) && Arrays.equals(bytes(file), content)) {
        return new Outcome.Unchanged(file);
      }
      createFolder();
      removeLeftovers(name);
      finish(stage(name, content), file);
      return new Outcome.Written(file);
    } catch (IOException e) {
      return failed(file, e);
    }
  }

  /// Not through a channel, which an interrupted thread cannot read from.
  private static byte[] bytes(Path file) throws IOException {
    try (var in = new FileInputStream(file.toFile())) {
      return in.readAllBytes();
    }
  }

  /// Takes a specification away; one that is not there is as good.
  public Outcome remove(String name) {
    Path file = folder.resolve(name);
    try {
      boolean wasThere = Files.deleteIfExists(file);
      return wasThere ? new Outcome.Removed(file) : new Outcome.Unchanged(file);
    } catch (IOException e) {
      return failed(file, e);
    }
  }

  /// Writes the whole content beside the file, with its final mode, down to the disk.
  Path stage(String name, byte[] content) throws IOException {
    String random = Long.toString(System.nanoTime(), RANDOM_BITS);
    Path unfinished = folder.resolve(PREFIX + name + "." + random + UNFINISHED);
    Files.createFile(unfinished);
    try {
      Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-r--r--"));
      WholeFile.flush(unfinished, content);
    } catch (IOException e) {
      deleteAfter(e, unfinished);
      throw e;
    }
    return unfinished;
  }

  private static void finish(Path unfinished, Path file) throws IOException {
    try {
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      deleteAfter(e, unfinished);
      throw e;
    }
  }

  private void createFolder() throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    }
  }

  private void removeLeftovers(String name) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        String left = String.valueOf(entry.getFileName());
        if (left.startsWith(PREFIX + name + ".") && left.endsWith(UNFINISHED)) {
          Files.deleteIfExists(entry);
        }
      }
    }
  }

  private static void deleteAfter(IOException cause, Path unfinished) {
    try {
      Files.deleteIfExists(unfinished);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /// Without the name of the draft, which is another one each time: the same trouble is no news.
  private static String words(IOException cause) {
    return cause instanceof FileSystemException named && named.getReason() != null
        ? named.getReason()
        : String.valueOf(cause.getMessage());
  }

  private Outcome failed(Path file, IOException cause) {
    String reason = cause instanceof NoSuchFileException ? "it is not there" : words(cause);
    return new Outcome.Failed(
        file,
        "cannot write CDI specifications to "
            + folder
            + ": "
            + reason
            + "; free space there or make it writable. The last specification stays in force");
  }
}
