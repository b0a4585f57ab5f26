package dev.pitcrew.testbed.command;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.controlplane.Owner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// The named test beds of this user: each is a work directory in one folder.
record Testbeds(Path folder) {
  static Testbeds ofThisUser() {
    return new Testbeds(Binaries.cacheFolder().resolve("testbeds"));
  }

  /// One test bed; `owner` may be dead.
  record Testbed(String name, Path directory, Owner owner) {
    Path kubeconfig() {
      return directory.resolve("kubeconfig");
    }
  }

  Path directoryOf(String name) {
    if (!name.matches("[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?")) {
      throw new TestbedException(
          "'" + name + "' is no name: use up to 42 lower-case letters, digits and inner dashes");
    }
    return folder.resolve(name);
  }

  List<Testbed> all() {
    try (var directories = Files.list(folder)) {
      return directories
          .sorted()
          .flatMap(directory ->
              Owner.of(directory).stream()
                  .map(owner -> new Testbed(nameOf(directory), directory, owner)))
          .toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException("list " + folder, e);
    }
  }

  private static String nameOf(Path directory) {
    return String.valueOf(directory.getFileName());
  }
}
