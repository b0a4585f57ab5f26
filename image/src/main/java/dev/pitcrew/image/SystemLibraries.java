package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The libraries of this machine that the Java runtime is linked against, at the places where this
/// machine's dynamic linker looks for them.
///
/// @param files path in the image to the file here
record SystemLibraries(SortedMap<String, Path> files) {
  // "	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f...)", and the linker without the arrow
  private static final Pattern LINE = Pattern.compile("\\s*(?:\\S+ => )?(/\\S+) \\(0x[0-9a-f]+\\)");

  private static final String C_LIBRARY = "libc.so.6";

  /// Needed without being named: names of hosts, and what the driver's libraries are linked
  /// against. The latter are loaded into the agent from the driver's root, but with this C library.
  private static final List<String> BESIDE_IT =
      List.of(
          "libm.so.6",
          "libdl.so.2",
          "libpthread.so.0",
          "librt.so.1",
          "libresolv.so.2",
          "libnss_dns.so.2",
          "libnss_files.so.2");

  /// What everything under `runtime`, a Java runtime, is linked against.
  static SystemLibraries of(Path runtime) {
    var files = new TreeMap<String, Path>();
    for (var program : programs(runtime)) {
      for (var path : linkedAgainst(program, runtime)) {
        if (!path.startsWith(runtime)) {
          files.put(path.toString(), path);
        }
      }
    }
    List.copyOf(files.values()).stream()
        .filter(file -> file.endsWith(C_LIBRARY))
        .forEach(file -> addBeside(file, files));
    return new SystemLibraries(files);
  }

  /// The C library itself.
  Path cLibrary() {
    return files.values().stream()
        .filter(file -> file.endsWith(C_LIBRARY))
        .findFirst()
        .orElseThrow(() ->
            new ImageException(
                "the JDK is not linked against glibc: set JAVA_HOME to one that is"));
  }

  static List<Path> paths(String output) {
    return output
        .lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .map(line -> Path.of(line.group(1)))
        .toList();
  }

  private static void addBeside(Path cLibrary, SortedMap<String, Path> files) {
    for (var name : BESIDE_IT) {
      var file = cLibrary.resolveSibling(name);
      if (Files.exists(file)) {
        files.put(file.toString(), file);
      }
    }
  }

  private static List<Path> programs(Path runtime) {
    try (var files = Files.walk(runtime)) {
      var all = new ArrayList<>(files.filter(SystemLibraries::isLinked).sorted().toList());
      all.removeIf(Files::isSymbolicLink);
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException("read " + runtime, e);
    }
  }

  private static boolean isLinked(Path file) {
    return file.toString().endsWith(".so") || file.endsWith("bin/java");
  }

  private static List<Path> linkedAgainst(Path program, Path runtime) {
    var libraries = runtime.resolve("lib/server") + ":" + runtime.resolve("lib");
    var run =
        CommandRun.of(
            List.of("env", "LD_LIBRARY_PATH=" + libraries, "ldd", program.toString()), runtime);
    if (!run.succeeded() || run.output().contains("not found")) {
      throw new ImageException(
          "ldd cannot determine what %s is linked against: %s".formatted(program, run.lastLines()));
    }
    return paths(run.output());
  }
}
