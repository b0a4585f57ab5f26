package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;

/// A folder for one control plane and the processes in it. When it is closed, or when this JVM ends
/// in any way, the processes are killed and the folder is removed.
public final class WorkDirectory implements AutoCloseable {
  private static final String GUARD = "guard.sh";
  private static final FileAttribute<?> ONLY_THIS_USER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private final Path path;
  private final GuardedProcess guard;
  private final Deque<GuardedProcess> started = new ConcurrentLinkedDeque<>();

  private WorkDirectory(Path path) {
    this.path = path;
    write(Owner.FILE, Owner.thisProcess().text());
    write(GUARD, resource(GUARD));
    this.guard = guarded("guard", "", List.of());
  }

  /// A fresh folder under the system's folder for temporary files.
  public static WorkDirectory temporary() {
    try {
      return new WorkDirectory(Files.createTempDirectory("pitcrew-testbed-"));
    } catch (IOException e) {
      throw new UncheckedIOException("create a work directory", e);
    }
  }

  /// The folder `path`, owned by the process that creates it first. What a dead owner left there,
  /// because the machine lost power, is removed first.
  ///
  /// @throws TestbedException if another process owns it
  public static WorkDirectory at(Path path) {
    var absolute = path.toAbsolutePath();
    try {
      if (Owner.of(absolute).filter(owner -> owner.process().isEmpty()).isPresent()) {
        removeTree(absolute);
      }
      Files.createDirectories(Objects.requireNonNull(absolute.getParent()));
      return new WorkDirectory(Files.createDirectory(absolute, ONLY_THIS_USER));
    } catch (FileAlreadyExistsException e) {
      throw new TestbedException(absolute + " exists: another test bed runs in it", e);
    } catch (IOException e) {
      throw new UncheckedIOException("create " + absolute, e);
    }
  }

  public Path path() {
    return path;
  }

  /// The file `name` in this folder, whether it exists or not.
  public Path file(String name) {
    return path.resolve(name);
  }

  /// Writes a file that only this user can read.
  public Path write(String name, String text) {
    var owner = PosixFilePermissions.fromString("rw-------");
    try {
      var file = file(name);
      if (Files.notExists(file)) {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(owner));
      }
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("write " + file(name), e);
    }
  }

  /// Starts `command` so that it cannot outlive this JVM; its output goes to `<name>.log`.
  public GuardedProcess start(String name, List<String> command) {
    return start(name, "", command);
  }

  /// As above; `after` is the text of a shell script that runs when the process has ended, however
  /// that came about, and removes what the process leaves behind outside of this folder.
  public GuardedProcess start(String name, String after, List<String> command) {
    var process = guarded(name, after, command);
    started.push(process);
    return process;
  }

  private GuardedProcess guarded(String name, String after, List<String> command) {
    var words = new ArrayList<>(List.of("/bin/sh", file(GUARD).toString(), path.toString()));
    if (!after.isEmpty()) {
      words.addAll(List.of("--after", after));
    }
    words.addAll(command);
    var builder = new ProcessBuilder(words).directory(path.toFile());
    try {
      return GuardedProcess.start(name, builder, file(name + ".log"));
    } catch (IOException e) {
      throw new UncheckedIOException("start " + name, e);
    }
  }

  /// Kills what still runs here, the youngest first, and removes the folder.
  @Override
  public void close() {
    try {
      started.forEach(GuardedProcess::stop);
    } finally {
      guard.release();
    }
  }

  private static void removeTree(Path root) throws IOException {
    try (var tree = Files.walk(root)) {
      for (var entry : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }

  static String resource(String name) {
    try (var stream = WorkDirectory.class.getResourceAsStream(name)) {
      return new String(
          Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + name, e);
    }
  }
}
