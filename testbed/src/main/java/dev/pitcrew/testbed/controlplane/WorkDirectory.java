package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// A folder for one control plane and the processes in it. When it is closed, or when this JVM ends
/// in any way, the processes are killed and the folder is removed.
public final class WorkDirectory implements AutoCloseable {
  private static final String GUARD = "guard.sh";
  private final Path path;
  private final GuardedProcess guard;

  private WorkDirectory(Path path) {
    this.path = path;
    write(".owned", "");
    write(GUARD, resource(GUARD));
    this.guard = start("guard", List.of());
  }

  /// A fresh folder under the system's folder for temporary files.
  public static WorkDirectory temporary() {
    try {
      return new WorkDirectory(Files.createTempDirectory("pitcrew-testbed-"));
    } catch (IOException e) {
      throw new UncheckedIOException("create a work directory", e);
    }
  }

  /// The folder `path`, which must not exist yet; whoever creates it first owns it.
  ///
  /// @throws TestbedException if it exists
  public static WorkDirectory at(Path path) {
    var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    try {
      Files.createDirectories(Objects.requireNonNull(path.toAbsolutePath().getParent()));
      return new WorkDirectory(Files.createDirectory(path.toAbsolutePath(), owner));
    } catch (FileAlreadyExistsException e) {
      throw new TestbedException(path + " exists already: another test bed runs in it", e);
    } catch (IOException e) {
      throw new UncheckedIOException("create " + path, e);
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
    var log = file(name + ".log");
    var guarded =
        Stream.concat(
            Stream.of("/bin/sh", file(GUARD).toString(), path.toString()), command.stream());
    var builder =
        new ProcessBuilder(guarded.toList())
            .directory(path.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      return new GuardedProcess(name, builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException("start " + name, e);
    }
  }

  /// Removes the folder; processes that still run in it are killed first.
  @Override
  public void close() {
    guard.release();
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
