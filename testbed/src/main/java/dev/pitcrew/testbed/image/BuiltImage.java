package dev.pitcrew.testbed.image;

import dev.pitcrew.testbed.TestbedException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The root file system of the image that `make image` has built, as a folder of this machine: the
/// programs of operator and agent with production's Java runtime, flags and AOT cache. The JVM
/// takes an AOT cache also where all jars have moved to another folder together.
///
/// @param rootfs absolute
public record BuiltImage(Path rootfs) {
  /// In place of a registry in the name of an image that was built here and is in none, as other
  /// builders of images name theirs.
  public static final String REPOSITORY = "localhost";

  /// Set by `make test` for the JVMs of tests: the folder. Without it tests run the programs from
  /// their own class path, since an image may be older than the classes.
  private static final String PROPERTY = "pitcrew.image";

  private static final String HOME = "opt/pitcrew";

  /// The image whose programs the tests of this JVM run.
  public static Optional<BuiltImage> ofTests() {
    return Optional.ofNullable(System.getProperty(PROPERTY)).map(Path::of).map(BuiltImage::in);
  }

  /// @throws TestbedException if `rootfs` holds no image
  public static BuiltImage in(Path rootfs) {
    var image = new BuiltImage(rootfs.toAbsolutePath().normalize());
    if (!Files.isExecutable(image.java())) {
      throw new TestbedException(
          "there is no image in %s (no %s); run: make image".formatted(rootfs, image.java()));
    }
    return image;
  }

  public Path java() {
    return home().resolve("jre/bin/java");
  }

  /// The Java argument file with the flags of a program's JVM.
  ///
  /// @param program `operator` or `agent`
  public Path flags(String program) {
    return home().resolve("etc").resolve(program + ".jvm");
  }

  /// The jars of a program in the launcher's order, which the AOT cache depends on.
  public String classPath(String program) {
    return Stream.of(program, "shared")
        .flatMap(folder -> files(home().resolve("lib").resolve(folder)))
        .filter(jar -> jar.endsWith(".jar"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /// The flag for the AOT cache of a program; none where the image was built without caches.
  public List<String> cacheFlag(String program) {
    return files(home().resolve("aot"))
        .filter(file -> Path.of(file).getFileName().toString().startsWith(program + "-"))
        .filter(file -> file.endsWith(".aot"))
        .map(file -> "-XX:AOTCache=" + file)
        .toList();
  }

  private Path home() {
    return rootfs.resolve(HOME);
  }

  private static Stream<String> files(Path folder) {
    try (var files = Files.list(folder)) {
      return files.map(Path::toString).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException("list " + folder, e);
    }
  }
}
