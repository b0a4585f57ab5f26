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

/// `build/prerequisites` on a machine whose programs are stand-ins of a version that is enough, or
/// of one that is not.
@EnabledOnOs(OS.LINUX)
class PrerequisitesTest {
  private static final Path SCRIPT =
      Path.of("").toAbsolutePath().resolveSibling("build").resolve("prerequisites");

  private final Map<String, String> environment = new HashMap<>();
  @TempDir private Path folder;

  @BeforeEach
  void haveAll() throws IOException {
    program("mvn", "echo Apache Maven 3.9.9");
    program("go", "case $2 in GOVERSION) echo go1.99.1 ;; *) echo /tmp/$2 ;; esac");
    program("gcc", "case $1 in -dumpversion) echo 12 ;; *) echo /lib/${1#*=} ;; esac");
    program("git", "");
    program("df", df(90_000));
    environment.put("PATH", folder + ":/usr/bin:/bin");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("PITCREW_CACHE", folder.resolve("cache").toString());
    environment.put("KUBEBUILDER_ASSETS", "");
    environment.put("PREREQUISITES", "");
  }

  @Test
  void aMachineThatHasAllPasses() {
    assertThat(check().status()).isZero();
    assertThat(check().output()).doesNotContain("missing");
  }

  @Test
  void anOldMavenIsNamedWithItsVersion() throws IOException {
    program("mvn", "echo Apache Maven 3.6.3");

    assertRefused("missing: Maven 3.8 or newer; " + folder + "/mvn is 3.6.3 - 'apt-get install");
  }

  /// `build/maven` has the wrapper fetch it.
  @Test
  void noMavenIsNeededWhereItCanBeFetched() throws IOException {
    Files.delete(folder.resolve("mvn"));
    environment.put("PATH", onlyStandIns("sh", "curl"));
    assertThat(check().output()).doesNotContain("Maven");

    environment.put("PATH", onlyStandIns("sh"));
    assertRefused("missing: Maven, and curl or wget to fetch it; there is none - 'apt-get install");
  }

  /// A folder with what the script runs, and of the programs that it looks for only these.
  private String onlyStandIns(String... programs) throws IOException {
    var place = Files.createTempDirectory(folder, "path");
    var all = new ArrayList<>(List.of(programs));
    all.addAll(
        List.of(
            "dirname",
            "sed",
            "awk",
            "sort",
            "head",
            "tail",
            "uname",
            "paste",
            "basename",
            "readlink",
            "cat",
            "tr",
            "ls",
            "env"));
    for (var program : all) {
      Files.createSymbolicLink(place.resolve(program), Path.of("/usr/bin", program));
    }
    for (var program : List.of("go", "gcc", "git", "df")) {
      Files.createSymbolicLink(place.resolve(program), folder.resolve(program));
    }
    return place.toString();
  }

  @Test
  void anOldGoIsNamedWithItsVersion() throws IOException {
    program("go", "case $2 in GOVERSION) echo go1.19.8 ;; *) echo /tmp/$2 ;; esac");

    assertRefused(folder + "/go is 1.19.8 - go.dev/dl");
  }

  @Test
  void anOldGoIsEnoughOnceTheProgramsAreThere() throws IOException {
    program("go", "echo go1.19.8");
    environment.put("KUBEBUILDER_ASSETS", folder.toString());

    assertThat(check().status()).isZero();
  }

  @Test
  void aCompilerThatCannotLinkStaticallyIsNotEnough() throws IOException {
    program("gcc", "case $1 in -dumpversion) echo 12 ;; *) echo ${1#*=} ;; esac");

    assertRefused("missing: the C library to link statically (libc.a); gcc 12 has none");
  }

  @Test
  void fullDisk_isReportedBeforeTheBuildFails() throws IOException {
    program("df", df(3_000));

    assertRefused("MB free on /disk; 3000 MB are there - needed for: ");
    assertThat(check().output()).contains("Kubernetes programs in " + folder + "/cache 900 MB");
  }

  @Test
  void missingPrerequisite_withWarn_isOnlyReported() throws IOException {
    program("df", df(3_000));
    environment.put("PREREQUISITES", "warn");

    assertThat(check().status()).isZero();
    assertThat(check().output()).contains("missing: ");
  }

  private void assertRefused(String message) {
    var run = check();

    assertThat(run.output()).contains(message);
    assertThat(run.status()).isEqualTo(1);
  }

  private CommandRun check() {
    return CommandRun.of(List.of(SCRIPT.toString()), folder, environment);
  }

  private static String df(int megabytesFree) {
    return "echo Filesystem; echo disk 100000 0 %d 0%% /disk".formatted(megabytesFree);
  }

  private void program(String name, String script) throws IOException {
    var file = folder.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
