package dev.pitcrew.testbed.operator;

import dev.pitcrew.testbed.image.BuiltImage;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// The operator's program and the JVM under it.
///
/// @param java the program that runs it
/// @param flags a Java argument file with the flags of the JVM, one a line
/// @param cache the flag for its AOT cache, if there is one
/// @param classPath as the launcher of Java takes it
public record OperatorProgram(Path java, Path flags, List<String> cache, String classPath) {
  /// The name of the file with the flags that production uses.
  public static final String FLAGS_FILE = "operator.flags";

  /// The operator's name in the image.
  private static final String NAME = "operator";

  private static final String MAIN = "dev.pitcrew.operator.runtime.Main";

  /// The operator that Maven has built in `folder`.
  public static OperatorProgram in(Path folder) {
    return new OperatorProgram(
        javaOfThisProcess(),
        folder.resolve(FLAGS_FILE),
        List.of(),
        folder + "/*" + File.pathSeparator + folder.resolve("lib") + "/*");
  }

  /// The operator of an image, as production starts it.
  public static OperatorProgram of(BuiltImage image) {
    return new OperatorProgram(
        image.java(), image.flags(NAME), image.cacheFlag(NAME), image.classPath(NAME));
  }

  /// The `java` that runs this process.
  public static Path javaOfThisProcess() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /// The words of a command that holds from every folder.
  ///
  /// @param arguments of the operator, the first of them its subcommand
  public List<String> commandLine(List<String> arguments) {
    var words = new ArrayList<>(List.of(java.toString(), "@" + flags.toAbsolutePath()));
    words.addAll(cache);
    words.addAll(List.of("-cp", absolute(classPath), MAIN));
    words.addAll(arguments);
    return List.copyOf(words);
  }

  /// The flags of the JVM, without what is said about them.
  public List<String> jvmFlags() {
    try (var lines = Files.lines(flags)) {
      return lines.map(String::strip).filter(OperatorProgram::isFlag).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("read the flags of the operator's JVM from " + flags, e);
    }
  }

  private static boolean isFlag(String line) {
    return !line.isEmpty() && !line.startsWith("#");
  }

  private static String absolute(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
