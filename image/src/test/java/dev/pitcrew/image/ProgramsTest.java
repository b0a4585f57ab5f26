package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The programs as a container runs them: nothing but the image's files around them.
@Tag("cluster")
@EnabledOnOs(OS.LINUX)
class ProgramsTest {
  @TempDir Path folder;

  @BeforeEach
  void needsAnotherRootFolder() {
    assumeTrue(ImageUnderTest.container().isPossible(), "needs root or user namespaces");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "operator",
        "rollout",
        "manage-crds",
        "cleanup",
        "labels",
        "runtime",
        "plugin",
        "cdi",
        "inventory",
        "features",
        "cuda-check",
        "driver-manager",
        "vfio-manage",
        "validate",
        "metrics",
        "mig"
      })
  void everyProgramExplainsItself(String program) {
    var run = ImageUnderTest.container().run(program, "--help");

    assertThat(run.status()).as(run.output()).isZero();
    assertThat(run.output()).contains("Usage: pitcrew " + program);
  }

  @Test
  void theTableNamesThePrograms() {
    assertThat(ImageUnderTest.container().run("--help").output())
        .contains("  operator", "  rollout", "  agent", "  plugin", "  manage-crds", "  cleanup");
  }

  @ParameterizedTest
  @ValueSource(strings = {"operator", "rollout", "cleanup", "agent", "labels", "driver-manager"})
  void everyProgramHasItsCache(String program) {
    var path = ImageUnderTest.container().run("aot-path", program).output().strip();

    assertThat(new FileTree(ImageUnderTest.build().rootfs()).at(path)).isNotEmptyFile();
  }

  /// A JVM that is handed a cache of the same size and age runs the old classes without a word.
  @Test
  void aChangedJarTakesEffectInSpiteOfTheCache() throws IOException {
    var rootfs = ImageUnderTest.copyOfRootfs(folder);
    var container =
        Container.of(rootfs).withVariable("JDK_JAVA_OPTIONS", "-Xlog:class+load:stdout");
    assertThat(container.run("labels", "--help").output())
        .contains("Reports the labels")
        .containsPattern("agent.command.Main source: shared objects file");

    change(agentJar(rootfs), "Reports the labels", "REPORTS THE LABELS");

    assertThat(container.run("labels", "--help").output())
        .contains("REPORTS THE LABELS")
        .doesNotContain("shared objects file");
  }

  private static Path agentJar(Path rootfs) throws IOException {
    try (var files = Files.list(rootfs.resolve("opt/pitcrew/lib/agent"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("pitcrew-agent-"))
          .findFirst()
          .orElseThrow();
    }
  }

  /// Changes a text in the classes of a jar, which keeps its age.
  private static void change(Path jar, String from, String to) throws IOException {
    var changed = jar.resolveSibling("changed");
    try (var in = new ZipFile(jar.toFile());
        var out = new ZipOutputStream(Files.newOutputStream(changed))) {
      for (var entry : in.stream().toList()) {
        var content =
            new String(in.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1);
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(content.replace(from, to).getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    Files.move(changed, jar, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
  }
}
