package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Finds libraries below a driver root: in the first of the usual folders that has one of the name,
/// else where the root's `ld.so.cache` says.
final class LibrarySearch {
  private static final List<String> FOLDERS =
      List.of(
          "/",
          "/usr/lib64",
          "/usr/lib/x86_64-linux-gnu",
          "/usr/lib/aarch64-linux-gnu",
          "/usr/lib/x86_64-linux-gnu/nvidia/current",
          "/usr/lib/aarch64-linux-gnu/nvidia/current",
          "/lib64",
          "/lib/x86_64-linux-gnu",
          "/lib/aarch64-linux-gnu",
          "/lib/x86_64-linux-gnu/nvidia/current",
          "/lib/aarch64-linux-gnu/nvidia/current");

  /// The libraries whose names say the driver's version.
  private static final List<String> VERSIONED = List.of("libcuda.so.", "libnvidia-ml.so.");

  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

  private final RootFolder root;

  /// Read at the first question that the folders do not answer.
  private Optional<List<String>> cache = Optional.empty();

  private LibrarySearch(RootFolder root) {
    this.root = root;
  }

  static LibrarySearch in(HostRoot root) {
    return new LibrarySearch(new RootFolder(root));
  }

  /// The version that the name of the driver's own library ends in.
  Optional<String> driverVersion() {
    return VERSIONED.stream()
        .flatMap(prefix ->
            find(prefix + "*.*").stream()
                .map(path -> RootFolder.name(path).substring(prefix.length())))
        .filter(LibrarySearch::isVersion)
        .findFirst();
  }

  /// A version reaches file names and command lines, so only digits and dots are one.
  static boolean isVersion(String text) {
    return VERSION.matcher(text).matches();
  }

  /// The libraries of that name where they really lie, none twice.
  List<String> find(String glob) {
    Predicate<String> names = NamePattern.of(glob);
    return FOLDERS.stream()
        .map(folder -> resolved(root.list(folder, names).stream()))
        .filter(found -> !found.isEmpty())
        .findFirst()
        .orElseGet(() -> fromCache(glob, names));
  }

  /// The libraries of that name in all of `folders`, where they really lie, none twice.
  List<String> findIn(List<String> folders, String glob) {
    Predicate<String> names = NamePattern.of(glob);
    return resolved(folders.stream().flatMap(folder -> root.list(folder, names).stream()));
  }

  /// A cache has the names that programs link against, such as `libcuda.so.1`; the version is in
  /// the name of the file behind that link (ldconfig(8)).
  private List<String> fromCache(String glob, Predicate<String> names) {
    if (cache.isEmpty()) {
      cache = Optional.of(LibraryCache.read(root));
    }
    String start = glob.substring(0, (glob + "*").indexOf('*'));
    return resolved(
        cache.orElseThrow().stream()
            .filter(path -> RootFolder.name(path).startsWith(start))
            .filter(path ->
                Stream.concat(Stream.of(path), root.resolve(path).stream())
                    .map(RootFolder::name)
                    .anyMatch(names)));
  }

  private List<String> resolved(Stream<String> paths) {
    LinkedHashSet<String> found = new LinkedHashSet<>();
    paths.filter(root::isFile).map(root::resolve).flatMap(Optional::stream).forEach(found::add);
    return List.copyOf(found);
  }
}
