package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiKind;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The CDI files of the claims of a driver, such as `k8s.gpu.nvidia.com-claim_<uid>.yaml`.
///
/// @param kind of their specifications
public record ClaimFiles(SpecificationFolder folder, CdiKind kind) {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimFiles.class);
  private static final String EXTENSION = ".yaml";

  /// Devices as this agent and NVIDIA's DRA driver write them.
  private static final Pattern DEVICE = Pattern.compile("(?m)^(?:\\s*-)?\\s*name: \"?([^\"\\s]+)");

  /// @return why it cannot be written
  public Optional<String> write(CdiSpecification specification) {
    return switch (folder.write(specification, CdiDocument.YAML)) {
      case SpecificationFolder.Outcome.Failed(_, var message, _) -> Optional.of(message);
      case SpecificationFolder.Outcome.Written _, SpecificationFolder.Outcome.Unchanged _ ->
          Optional.empty();
    };
  }

  public boolean has(String uid) {
    return Files.exists(folder.folder().resolve(name(uid)));
  }

  /// @return why it cannot be removed
  public Optional<String> remove(String uid) {
    return folder.remove(name(uid));
  }

  private String name(String uid) {
    return stem() + uid + EXTENSION;
  }

  private String stem() {
    return kind.fileStem() + "_";
  }

  /// The names of the devices of each claim that has a file, by UID.
  SortedMap<String, List<String>> found() {
    var found = new TreeMap<String, List<String>>();
    if (!Files.isDirectory(folder.folder())) {
      return found;
    }
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder.folder(), stem() + "*" + EXTENSION)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        String uid = name.substring(stem().length(), name.length() - EXTENSION.length());
        found.put(uid, devices(file, uid));
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.atWarn().setCause(e).log("{} cannot be listed", folder.folder());
    }
    return found;
  }

  private static List<String> devices(Path file, String uid) {
    try {
      String prefix = uid + "-";
      return DEVICE
          .matcher(Files.readString(file))
          .results()
          .map(it -> it.group(1))
          .filter(name -> name.startsWith(prefix))
          .map(name -> name.substring(prefix.length()))
          .toList();
    } catch (IOException | UncheckedIOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be read", file);
      return List.of();
    }
  }
}
