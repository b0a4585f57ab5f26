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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// A folder that container runtimes watch for specifications, such as `/var/run/cdi`. A runtime
/// sees the old file or the new one, never a part, and a file that would not change is not touched.
///
/// One writer at a time; what a killed writer left behind goes away with the next change.
///
/// @param mode of the files, such as `rw-r--r--`
public record SpecificationFolder(Path folder, String mode) {
  /// What became of a file.
  public sealed interface Outcome {
    record Written(Path file) implements Outcome {}

    record Unchanged(Path file) implements Outcome {}

    /// What was there before is still there, unless it is of a former driver.
    ///
    /// @param message says the folder, the cause and the remedy
    /// @param serves whether the former file, be it of an earlier process, gives what the new one
    ///   would
    record Failed(Path file, String message, boolean serves) implements Outcome {}
  }

  private static final String READABLE = "rw-r--r--";
  private static final String OWNER_ONLY = "rw-------";

  /// Runtimes read `*.json` and `*.yaml` only.
  private static final String UNFINISHED = ".tmp";

  private static final String PREFIX = "spec.";
  private static final int RANDOM_BITS = 36;

  /// One whose files all users can read.
  public SpecificationFolder(Path folder) {
    this(folder, READABLE);
  }

  /// The same folder, with files for their owner only.
  public SpecificationFolder forOwnerOnly() {
    return new SpecificationFolder(folder, OWNER_ONLY);
  }

  public Outcome write(CdiSpecification specification, CdiDocument format) {
    String name = format.fileName(specification);
    String text = format.text(specification);
    return switch (write(name, text)) {
      case Outcome.Failed failed -> judged(failed, text);
      case Outcome.Written written -> written;
      case Outcome.Unchanged unchanged -> unchanged;
    };
  }

  /// A file of a former driver goes, which a full disk allows: a container that is refused is
  /// started again later, one with the wrong device numbers or libraries is not.
  private static Outcome judged(Outcome.Failed failed, String text) {
    Optional<FormerFile> former = former(failed.file());
    FormerFile next = FormerFile.of(text).orElseThrow();
    if (former.filter(it -> it.isStale(next)).isEmpty()) {
      boolean serves = former.filter(it -> it.serves(next)).isPresent();
      return new Outcome.Failed(
          failed.file(), failed.message() + ". The last specification stays in force", serves);
    }
    try {
      Files.deleteIfExists(failed.file());
      return failed;
    } catch (IOException e) {
      return new Outcome.Failed(
          failed.file(),
          "%s. The specification of a former driver is still there (%s): remove %s"
              .formatted(failed.message(), words(e), failed.file()),
          false);
    }
  }

  private static Optional<FormerFile> former(Path file) {
    try {
      return FormerFile.of(new String(bytes(file), StandardCharsets.UTF_8));
    } catch (IOException _) {
      return Optional.empty();
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

  /// Removes the specifications that name a program of the agent: only the agent writes those.
  ///
  /// @return what could not be removed, each with why
  public List<String> removeThatName(Collection<String> programs) {
    var failures = new ArrayList<String>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.{json,yaml}")) {
      for (Path file : files) {
        String text = new String(bytes(file), StandardCharsets.UTF_8);
        if (programs.stream().anyMatch(text::contains)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (NoSuchFileException _) {
      // Nothing was ever written.
    } catch (IOException e) {
      failures.add("specifications in %s cannot be removed: %s".formatted(folder, words(e)));
    }
    return failures;
  }

  /// Removes the file of an owner that is gone.
  ///
  /// @return why it cannot be removed
  public Optional<String> remove(String name) {
    Path file = folder.resolve(name);
    try {
      removeLeftovers(name);
      Files.deleteIfExists(file);
      return Optional.empty();
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be removed: %s".formatted(file, words(e)));
    }
  }

  /// Writes the whole content beside the file, with its final mode, down to the disk.
  Path stage(String name, byte[] content) throws IOException {
    String random = Long.toString(System.nanoTime(), RANDOM_BITS);
    Path unfinished = folder.resolve(PREFIX + name + "." + random + UNFINISHED);
    Files.createFile(unfinished);
    try {
      Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString(mode));
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

  /// Without the name of the draft, which differs each time: the same failure is reported once.
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
            + "; free space there or make it writable",
        false);
  }
}
