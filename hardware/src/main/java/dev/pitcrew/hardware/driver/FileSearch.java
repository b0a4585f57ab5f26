package dev.pitcrew.hardware.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Finds files that are no libraries below a driver root.
final class FileSearch {
  /// The PATH of a process where none is set.
  private static final List<String> BINARY_FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

  private static final int ANY_EXECUTE = 0111;

  private final DriverRoot root;
  private final RootFolder files;

  FileSearch(DriverRoot root) {
    this.root = root;
    this.files = new RootFolder(root.files());
  }

  /// The first of `folders` that has the file.
  Optional<DriverFile> first(List<String> folders, String name) {
    return folders.stream()
        .map(folder -> RootFolder.child(folder, name))
        .filter(files::isFile)
        .findFirst()
        .flatMap(this::file);
  }

  Optional<DriverFile> binary(String name) {
    return BINARY_FOLDERS.stream()
        .map(folder -> RootFolder.child(folder, name))
        .filter(this::isExecutable)
        .findFirst()
        .flatMap(this::file);
  }

  /// All files of that name in all of `folders`, none twice.
  List<DriverFile> all(List<String> folders, String glob) {
    Map<String, DriverFile> found = new LinkedHashMap<>();
    for (String folder : folders) {
      for (String path : files.list(folder, NamePattern.of(glob))) {
        file(path).filter(_ -> files.isFile(path)).ifPresent(f -> found.putIfAbsent(path, f));
      }
    }
    return new ArrayList<>(found.values());
  }

  /// What lies at `path`, be it a file or a folder.
  Optional<DriverFile> file(String path) {
    return files.resolve(path).map(real -> new DriverFile(path, source(path, real)));
  }

  /// Links that lead elsewhere when the host's kernel follows them from outside of the driver root,
  /// which absolute ones do, are followed here.
  private String source(String path, String real) {
    if (root.filesOnHost().equals("/") || path.equals(real)) {
      return path;
    }
    try {
      Path followed = files.at(path).toRealPath();
      return followed.equals(root.files().folder().toRealPath().resolve(real.substring(1)))
          ? path
          : real;
    } catch (IOException _) {
      return real;
    }
  }

  private boolean isExecutable(String path) {
    return files.isFile(path)
        && files
            .resolve(path)
            .filter(real -> (mode(files.at(real)) & ANY_EXECUTE) != 0)
            .isPresent();
  }

  private static int mode(Path file) {
    try {
      return (int) Files.getAttribute(file, "unix:mode");
    } catch (IOException _) {
      return 0;
    }
  }
}
