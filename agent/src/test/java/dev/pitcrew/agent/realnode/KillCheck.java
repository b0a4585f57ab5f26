package dev.pitcrew.agent.realnode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/// What a method calls that [KillAgent] has changed. It runs in the program's JVM, so that it needs
/// nothing but `java.base`.
public final class KillCheck {
  /// System property: the folder of a [KillSwitch]. Without it each place is armed.
  static final String FOLDER = "pitcrew.kill-switch";

  private static final int KILLED = 137;
  public static final String LAST_WORDS = "killed on the return of ";

  static final String RESULT = "->";

  private KillCheck() {}

  /// Writes the jar with this class for the library of native/redefine.
  static void jarIn(Path folder) throws IOException {
    var name = KillCheck.class.getName().replace('.', '/') + ".class";
    try (var jar = new JarOutputStream(Files.newOutputStream(folder.resolve("kill-check.jar")));
        var content = KillCheck.class.getClassLoader().getResourceAsStream(name)) {
      jar.putNextEntry(new ZipEntry(name));
      content.transferTo(jar);
    }
  }

  /// Halts the JVM where the place is armed and the call counts.
  public static void kill(
      @Nullable Object result, @Nullable Object first, @Nullable Object second, String place) {
    String[] parts = place.split(RESULT, -1);
    String[] texts = parts[0].split("@", -1);
    if (isArmed(place)
        && counts(result, parts, 1)
        && counts(first, texts, 1)
        && counts(second, texts, 2)) {
      System.err.println(LAST_WORDS + place);
      Runtime.getRuntime().halt(KILLED);
    }
  }

  private static boolean counts(@Nullable Object argument, String[] texts, int index) {
    if (index >= texts.length) {
      return true;
    }
    boolean isNot = texts[index].startsWith("!");
    return String.valueOf(argument).contains(texts[index].substring(isNot ? 1 : 0)) != isNot;
  }

  private static boolean isArmed(String place) {
    String folder = System.getProperty(FOLDER);
    try {
      return folder == null || Files.readString(Path.of(folder, KillSwitch.ARMED)).equals(place);
    } catch (IOException _) {
      return false;
    }
  }
}
