package dev.pitcrew.testbed.binaries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `build/java-home`, with JDKs of which only the version is real.
@EnabledOnOs(OS.LINUX)
class JavaHomeTest {
  private static final Path SCRIPT =
      Path.of("").toAbsolutePath().resolveSibling("build").resolve("java-home");

  private final Map<String, String> environment = new HashMap<>();
  @TempDir private Path home;

  @BeforeEach
  void haveNothing() {
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("HOME", home.toString());
    List.of("JAVA_HOME", "SDKMAN_DIR", "MISE_DATA_DIR", "XDG_DATA_HOME", "ASDF_DATA_DIR")
        .forEach(name -> environment.put(name, ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".sdkman/candidates/java/99-tem",
        ".local/share/mise/installs/java/temurin-99",
        ".asdf/installs/java/temurin-99",
        ".jdks/temurin 99",
        ".jdks/openjdk-99.jdk/Contents/Home",
      })
  void theNewestIsFoundWhereToolsPutIt(String place) throws IOException {
    var jdk = jdk(place, 99);

    assertThat(javaHome()).isEqualTo(jdk + "\n");
    assertThat(javaHome("--list")).contains("99.0.1 in " + jdk + "\n");
  }

  @Test
  void theOneOnThePathGoesBeforeANewerOne() throws IOException {
    var jdk = jdk("here/jdk", 98);
    jdk(".jdks/99", 99);
    environment.put("PATH", jdk.resolve("bin") + ":/usr/bin:/bin");

    assertThat(javaHome()).isEqualTo(jdk + "\n");
  }

  @Test
  void theOneOfJavaHomeGoesBeforeAllUnlessItIsTooOld() throws IOException {
    var newest = jdk(".jdks/99", 99);
    environment.put("JAVA_HOME", jdk("named", 97).toString());
    assertThat(javaHome()).isEqualTo(home.resolve("named") + "\n");

    environment.put("JAVA_HOME", jdk("old", 21).toString());
    assertThat(javaHome()).isEqualTo(newest + "\n");
  }

  private String javaHome(String... options) {
    var command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(List.of(options));
    return CommandRun.of(command, home, environment).output();
  }

  private Path jdk(String place, int version) throws IOException {
    var jdk = home.resolve(place);
    var javac = Files.createDirectories(jdk.resolve("bin")).resolve("javac");
    Files.writeString(javac, "#!/bin/sh\n");
    Files.setPosixFilePermissions(javac, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"%d.0.1\"\n".formatted(version));
    return jdk;
  }
}
