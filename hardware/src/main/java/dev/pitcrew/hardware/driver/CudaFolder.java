package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Where libcuda is, and a folder from which it can open what it needs.
///
/// libcuda opens its JIT compiler by name. The folder of another root has that root's C library
/// too, which does not fit this process's dynamic linker, so a search path must not name it: a
/// folder of links to the driver's own libraries is named instead.
///
/// @param library the path of libcuda, or its bare name where the dynamic linker finds it
/// @param searchPath the folder of links; empty where the driver lies in the process's own root
public record CudaFolder(String library, Optional<Path> searchPath) {
  private static final String NAME = "libcuda.so.1";
  private static final List<Predicate<String>> OF_THE_DRIVER =
      Stream.of("libcuda.so.*", "libnvidia-*.so.*").map(NamePattern::of).toList();

  /// @param links takes the links; emptied first
  public static CudaFolder of(HostRoot driverRoot, Path links) throws IOException {
    if (driverRoot.isOwnRoot()) {
      return new CudaFolder(NAME, Optional.empty());
    }
    Optional<String> found = LibrarySearch.in(driverRoot).find(NAME).stream().findFirst();
    if (found.isEmpty()) {
      return new CudaFolder(NAME, Optional.empty());
    }
    var root = new RootFolder(driverRoot);
    clear(links);
    for (String path : root.list(RootFolder.parent(found.get()), CudaFolder::isOfTheDriver)) {
      Optional<String> real = root.resolve(path).filter(root::isFile);
      if (real.isPresent()) {
        Files.createSymbolicLink(links.resolve(RootFolder.name(path)), root.at(real.get()));
      }
    }
    return new CudaFolder(root.at(found.get()).toString(), Optional.of(links));
  }

  private static boolean isOfTheDriver(String name) {
    return OF_THE_DRIVER.stream().anyMatch(pattern -> pattern.test(name));
  }

  private static void clear(Path links) throws IOException {
    Files.createDirectories(links);
    try (Stream<Path> old = Files.list(links)) {
      for (Path link : old.toList()) {
        Files.delete(link);
      }
    }
  }
}
