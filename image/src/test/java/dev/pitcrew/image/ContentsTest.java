package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@EnabledOnOs(OS.LINUX)
class ContentsTest {
  @TempDir Path folder;

  @Test
  void isNamedAsTheChartAsksForIt() throws IOException {
    var name =
        ImageUnderTest.json(ImageUnderTest.archive(), "manifest.json").at("/0/RepoTags/0").asText();

    assertThat(name)
        .isEqualTo("localhost/pitcrew:" + ImageUnderTest.build().repository().version());
  }

  @Test
  void layersAreTheSameFromBuildToBuild() throws IOException {
    var other = new ImageBuild(ImageUnderTest.build().repository(), folder, line -> {});
    copyCachesTo(new FileTree(folder));

    var archive = other.run();

    assertThat(ImageUnderTest.layers(archive))
        .isEqualTo(ImageUnderTest.layers(ImageUnderTest.archive()));
    assertThat(archive).hasSameBinaryContentAs(ImageUnderTest.archive());
  }

  @Test
  void everyModuleThatTheJarsNeedIsInTheRuntime() {
    var needed = new TreeSet<String>();
    for (var program : Repository.Program.values()) {
      needed.addAll(modules(ImageUnderTest.build().repository().jars(program)));
    }
    needed.removeAll(JavaRuntime.UNUSED);

    assertThat(JavaRuntime.MODULES).containsAll(needed);
  }

  @Test
  void theBillNamesEveryJarOfTheImage() throws IOException {
    var rootfs = ImageUnderTest.build().rootfs();
    var bill = new JsonMapper().readTree(new FileTree(rootfs).at(Rootfs.BILL).toFile());
    var urls = bill.path("components").findValuesAsText("purl");

    assertThat(bill.path("bomFormat").asText()).isEqualTo("CycloneDX");
    try (var files = Files.walk(new FileTree(rootfs).at(Rootfs.HOME + "/lib"))) {
      assertThat(urls)
          .filteredOn(url -> url.startsWith("pkg:maven/"))
          .hasSize((int) files.filter(file -> file.toString().endsWith(".jar")).count());
    }
    assertThat(urls)
        .anyMatch(url -> url.startsWith("pkg:generic/openjdk@25"))
        .anyMatch(url -> url.startsWith("pkg:generic/glibc@2."))
        .anyMatch(url -> url.startsWith("pkg:generic/pitcrew@"))
        .anyMatch(url -> url.startsWith("pkg:generic/pitcrew-cdi-hook@"));
  }

  @Test
  void theLibrariesOfTheDriverFindTheirCLibrary() {
    var names =
        SystemLibraries.of(ImageUnderTest.build().target().resolve("jre")).files().keySet().stream()
            .map(path -> Path.of(path).getFileName().toString());

    assertThat(names)
        .contains("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1");
  }

  /// They alone differ from one training to the next.
  private static void copyCachesTo(FileTree tree) throws IOException {
    try (var files = Files.list(ImageUnderTest.build().target().resolve("aot"))) {
      files
          .filter(file -> file.toString().endsWith(".aot"))
          .forEach(file -> tree.copy(file, "/aot/" + file.getFileName()));
    }
  }

  /// What the first jar and all that it needs of the others need of the JDK. What jdeps reports.
  static List<String> modules(List<Path> jars) {
    var out = new StringWriter();
    var classPath = jars.stream().map(Path::toString).collect(Collectors.joining(":"));
    var status =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(
                new PrintWriter(out),
                new PrintWriter(out),
                "--multi-release",
                "25",
                "--ignore-missing-deps",
                "-recursive",
                "-summary",
                "-cp",
                classPath,
                jars.getFirst().toString());
    assertThat(status).as(out.toString()).isZero();
    return out.toString()
        .lines()
        .map(line -> line.substring(line.indexOf("->") + 2).strip())
        .filter(word -> word.startsWith("java.") || word.startsWith("jdk."))
        .toList();
  }
}
