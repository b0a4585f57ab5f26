package dev.pitcrew.testrunner;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A Maven module with tests, as `mvn package` has left it.
///
/// @param folder absolute
record TestModule(String name, Path folder) {
  /// The build writes the class path of the tests there: jars, without the module's own classes.
  private static final String CLASS_PATH = "target/test.classpath";

  private static final String CLASSES = "target/test-classes";
  private static final String SOURCES = "src/test/java";

  static boolean hasTests(Path folder) {
    return Files.isDirectory(folder.resolve(SOURCES)) || Files.isDirectory(folder.resolve(CLASSES));
  }

  /// The class path of a JVM that runs the module's tests, as the launcher of Java takes it.
  ///
  /// @param more what the JVM needs besides
  String classPath(String more) {
    try {
      var jars = Files.readString(folder.resolve(CLASS_PATH)).strip();
      var own = List.of(folder.resolve(CLASSES), folder.resolve("target/classes"));
      return Stream.concat(
              own.stream().map(Path::toString), Stream.of(jars, more).filter(p -> !p.isEmpty()))
          .collect(Collectors.joining(File.pathSeparator));
    } catch (IOException e) {
      throw new UncheckedIOException("read the class path of " + name, e);
    }
  }

  /// The names of the classes that hold tests, as Maven's Surefire names them.
  ///
  /// @throws IllegalStateException if Maven has not built the module: its tests must not be passed
  ///   over in silence
  List<String> testClasses() {
    var classes = folder.resolve(CLASSES);
    if (!Files.isDirectory(classes) || !Files.isRegularFile(folder.resolve(CLASS_PATH))) {
      throw new IllegalStateException(
          "the tests of %s are not built (no %s or %s); run: make build"
              .formatted(name, CLASSES, CLASS_PATH));
    }
    try (var files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(file -> file.endsWith("Test.class") && !file.contains("$"))
          .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("list the tests of " + name, e);
    }
  }

  /// Where what tests print goes, and nothing else.
  Path logs() {
    return folder.resolve("target/test-logs");
  }

  /// The lines that the tests of this run have printed and that begin so, without the beginning.
  Stream<String> printed(String beginning) {
    if (!Files.isDirectory(logs())) {
      return Stream.of();
    }
    try (var files = Files.list(logs())) {
      var lines = new ArrayList<String>();
      for (var file : files.toList()) {
        try (var text = Files.lines(file, StandardCharsets.ISO_8859_1)) {
          text.filter(line -> line.startsWith(beginning)).forEach(lines::add);
        }
      }
      return lines.stream().map(line -> line.substring(beginning.length()));
    } catch (IOException e) {
      throw new UncheckedIOException("read " + logs(), e);
    }
  }

  /// Removes what the tests of an earlier run have printed.
  void removeLogs() {
    if (!Files.isDirectory(logs())) {
      return;
    }
    try (var files = Files.list(logs())) {
      for (var file : files.toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("empty " + logs(), e);
    }
  }
}
