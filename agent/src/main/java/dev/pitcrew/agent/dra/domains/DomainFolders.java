package dev.pitcrew.agent.dra.domains;

import dev.pitcrew.agent.dra.domains.plan.ImexSettings;
import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The folders that IMEX daemons have as `/imexd`, one for each ComputeDomain. They stay when a
/// daemon ends, since its container may have left files there for the next one, and go with the
/// domain.
///
/// @param folder has them all, each by the UID of its domain
/// @param onHost the same on the host
record DomainFolders(Path folder, Path onHost) {
  private static final String OPEN = "rwxr-xr-x";

  String onHost(String domain) {
    return onHost.resolve(domain).toString();
  }

  /// @return why it cannot be made
  Optional<String> make(String domain) {
    Path own = folder.resolve(domain);
    try {
      var mode = PosixFilePermissions.fromString(OPEN);
      for (Path each : List.of(folder, own)) {
        Files.createDirectories(each);
        Files.setPosixFilePermissions(each, mode);
      }
      WholeFile.replaceForAll(own.resolve(ImexSettings.FILE), ImexSettings.text());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "%s cannot be written (%s): free space there or make it writable"
              .formatted(own, WholeFile.words(e)));
    }
  }

  /// The domains that have a folder.
  Set<String> domains() {
    var domains = new TreeSet<String>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      entries.forEach(entry -> domains.add(entry.getFileName().toString()));
    } catch (NoSuchFileException | NotDirectoryException _) {
      // No daemon was ever prepared.
    } catch (IOException | DirectoryIteratorException _) {
      return Set.of();
    }
    return domains;
  }

  /// @return why it cannot be removed
  Optional<String> remove(String domain) {
    Path own = folder.resolve(domain);
    try (Stream<Path> tree = Files.walk(own)) {
      for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
      return Optional.empty();
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException | UncheckedIOException e) {
      return Optional.of("%s cannot be removed: %s".formatted(own, e.getMessage()));
    }
  }
}
