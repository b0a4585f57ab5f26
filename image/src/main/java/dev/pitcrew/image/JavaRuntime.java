package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeSet;

/// The Java runtime of the image, cut by jlink out of the JDK that runs this.
record JavaRuntime(Path jdk) {

  /// What the jars of operator and agent need. jdeps reports all of them; a test compares.
  static final SortedSet<String> MODULES =
      new TreeSet<>(
          List.of(
              "java.base",
              "java.logging",
              "java.management",
              "java.naming",
              "java.net.http",
              "jdk.httpserver",
              "jdk.unsupported"));

  /// What the jars of the kubectl plugin need.
  static final SortedSet<String> PLUGIN_MODULES =
      new TreeSet<>(List.of("java.base", "java.logging", "jdk.httpserver"));

  /// What jars mention for uses that are not ours, and do without where it is absent: Jackson's
  /// support for the types of these modules, and Netty's flight recorder events.
  static final SortedSet<String> UNUSED =
      new TreeSet<>(List.of("java.desktop", "java.sql", "java.xml", "jdk.jfr"));

  static JavaRuntime ofThisProcess() {
    return new JavaRuntime(Path.of(System.getProperty("java.home")));
  }

  /// Says which build of which JDK this is.
  String release() {
    try {
      return Files.readString(jdk.resolve("release"));
    } catch (IOException e) {
      throw new UncheckedIOException("read the file 'release' of the JDK", e);
    }
  }

  /// With its build, such as `25.0.3+9-LTS`.
  String version() {
    var release = new Properties();
    try {
      release.load(new StringReader(release()));
    } catch (IOException e) {
      throw new UncheckedIOException("read the file 'release' of the JDK", e);
    }
    return release.getProperty("JAVA_RUNTIME_VERSION", "").replace("\"", "");
  }

  /// Writes the runtime of the image into `folder`, which must not exist.
  void linkInto(Path folder) {
    link(command(folder));
  }

  /// Writes the runtime of the kubectl plugin into `folder`, which must not exist.
  void linkPluginInto(Path folder) {
    link(command(folder, PLUGIN_MODULES));
  }

  private void link(List<String> command) {
    var run = CommandRun.of(command, jdk);
    if (!run.succeeded()) {
      throw new ImageException(
          "jlink of %s cannot make a Java runtime (a JDK of a distribution may need its package of jmods): %s"
              .formatted(jdk, run.lastLines()));
    }
  }

  List<String> command(Path folder) {
    return command(folder, MODULES);
  }

  private List<String> command(Path folder, SortedSet<String> modules) {
    var words = new ArrayList<String>();
    words.add(jdk.resolve("bin/jlink").toString());
    words.addAll(List.of("--add-modules", String.join(",", modules)));
    words.addAll(List.of("--strip-debug", "--no-header-files", "--no-man-pages"));
    words.addAll(List.of("--compress", "zip-0"));
    words.addAll(List.of("--output", folder.toAbsolutePath().toString()));
    return words;
  }
}
