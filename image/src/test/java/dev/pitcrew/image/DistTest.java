package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What `make dist` packs beside the image: chart and kubectl plugin.
@Tag("cluster")
@EnabledOnOs(OS.LINUX)
class DistTest {
  // Test budget 150 s: it links a Java runtime and writes an AOT cache, both twice.

  private static final Repository CHECKOUT =
      new Repository(Path.of("..").toAbsolutePath().normalize());
  private static final ReleaseName RELEASE = new ReleaseName("gpu-operator", "gpu-operator");
  private static final Optional<String> REGISTRY = Optional.of("registry.example.com:5000/gpu");

  private static final String CACHE = "/kubectl-gpu.aot";

  @TempDir static Path shared;
  private static PluginArchive plugin;
  @TempDir Path folder;

  @BeforeAll
  static void pack() {
    plugin = stage("stage");
    plugin.train(CHECKOUT);
  }

  @Test
  void theChartIsTheSameFromPackagingToPackaging() throws IOException {
    var first = new ChartPackage(CHECKOUT.chart(), REGISTRY).writeInto(place("first"));
    var second = new ChartPackage(CHECKOUT.chart(), REGISTRY).writeInto(place("second"));

    assertThat(first.getFileName()).hasToString("pitcrew-%s.tgz".formatted(CHECKOUT.version()));
    assertThat(second).hasSameBinaryContentAs(first);
  }

  @Test
  void theChartGivesWhatItsFolderGives() throws IOException {
    var values = new Values("{pitcrew: {image: {repository: \"%s\"}}}".formatted(REGISTRY.get()));

    var named = new ChartPackage(CHECKOUT.chart(), REGISTRY).writeInto(place("named"));
    var unnamed = new ChartPackage(CHECKOUT.chart(), Optional.empty()).writeInto(place("unnamed"));

    var expected = new Chart(CHECKOUT.chart()).template(RELEASE, values);
    assertThat(new Chart(named).template(RELEASE, Values.DEFAULTS)).isEqualTo(expected);
    assertThat(new Chart(unnamed).template(RELEASE, values)).isEqualTo(expected);
    assertThatThrownBy(() -> new Chart(unnamed).template(RELEASE, Values.DEFAULTS))
        .hasMessageContaining("pitcrew.image.repository is empty");
  }

  /// As `helm upgrade --reuse-values` of a release of NVIDIA's chart, whose values lack ours.
  @Test
  void theCopyThatTemplatesReadNamesTheRegistryToo() throws IOException {
    var archive = new ChartPackage(CHECKOUT.chart(), REGISTRY).writeInto(place("named"));

    assertThat(read(archive, "pitcrew/files/values.yaml"))
        .isEqualTo(read(archive, "pitcrew/values.yaml"))
        .contains("repository: " + REGISTRY.get());
  }

  /// But for the AOT cache, in which a JVM never writes the same twice.
  @Test
  void thePluginIsTheSameFromPackingToPacking() throws IOException {
    var other = stage("other");
    var first = folder.resolve("first.tar.gz");
    var second = folder.resolve("second.tar.gz");
    other.train(CHECKOUT);
    Files.copy(
        plugin.tree().at(CACHE), other.tree().at(CACHE), StandardCopyOption.REPLACE_EXISTING);

    new GzipArchive(first).write(plugin.layer());
    new GzipArchive(second).write(other.layer());

    assertThat(second).hasSameBinaryContentAs(first);
  }

  @Test
  void thePluginRunsWithoutJavaWhereverItLies() throws IOException {
    var archive = folder.resolve("plugin.tar.gz");
    new GzipArchive(archive).write(plugin.layer());
    var place = place("a place");
    var unpacked =
        CommandRun.of(List.of("tar", "-xzf", archive.toString(), "-C", place.toString()), folder);
    assertThat(unpacked.succeeded()).as(unpacked.output()).isTrue();
    var link =
        Files.createSymbolicLink(folder.resolve("kubectl-gpu"), place.resolve("kubectl-gpu"));

    var run =
        CommandRun.of(
            List.of("env", "-i", "PATH=/usr/bin:/bin", link.toString(), "health", "xid", "79"),
            folder);

    assertThat(run.output()).contains("fallen off the bus");
    assertThat(run.status()).isZero();
  }

  /// krew gives all files the time at which it unpacks them.
  @ParameterizedTest
  @ValueSource(strings = {"tar -xzf", "tar -xzmf"})
  void thePluginTakesItsAotCache(String unpack) throws IOException {
    var archive = folder.resolve("plugin.tar.gz");
    new GzipArchive(archive).write(plugin.layer());
    var script =
        unpack
            + " ../plugin.tar.gz && sed -i s/-Xlog:disable/-Xlog:class+load/ kubectl-gpu && ./kubectl-gpu --help";

    var run = CommandRun.of(List.of("sh", "-c", script), place("place"));

    assertThat(run.output())
        .contains("dev.pitcrew.cli.command.StatusCommand source: shared objects file");
  }

  @Test
  void everyModuleThatThePluginNeedsIsInItsRuntime() {
    var needed = new TreeSet<>(ContentsTest.modules(CHECKOUT.pluginJars()));
    needed.removeAll(JavaRuntime.UNUSED);

    assertThat(JavaRuntime.PLUGIN_MODULES).containsAll(needed);
  }

  /// The library for YAML mentions java.desktop, which the runtime lacks.
  @Test
  void thePluginReadsYamlByItsOwnRuntime() throws IOException {
    var values = Files.writeString(folder.resolve("values.yaml"), "driver: {version: [1]}");

    var run =
        CommandRun.of(
            List.of(
                "env",
                "KUBECTL=/none",
                plugin.tree().at("/kubectl-gpu").toString(),
                "check",
                "migrate",
                "--values",
                values.toString()),
            folder);

    assertThat(run.output()).startsWith("error: cannot run /none");
  }

  @Test
  void theBillNamesEveryJarOfThePlugin() throws IOException {
    var names =
        new JsonMapper()
            .readTree(plugin.billOfMaterials())
            .path("components")
            .findValuesAsText("name");

    assertThat(names)
        .contains(
            "dev.pitcrew:pitcrew-cli",
            "dev.pitcrew:pitcrew-core",
            "info.picocli:picocli",
            "openjdk")
        .hasSize(CHECKOUT.pluginJars().size() + 1);
  }

  @Test
  void theManifestForKrewHasTheDigestOfTheArchive() throws IOException {
    var archive = Files.writeString(folder.resolve("archive.tar.gz"), "abc");

    var manifest =
        new YAMLMapper()
            .readTree(
                KrewManifest.of("0.1.0", "amd64", "https://r.example/a.tar.gz", archive).yaml());

    assertThat(manifest.at("/spec/platforms/0/sha256").asText())
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(manifest.at("/spec/platforms/0/uri").asText())
        .isEqualTo("https://r.example/a.tar.gz");
    assertThat(manifest.at("/spec/version").asText()).matches("v\\d+\\.\\d+\\.\\d+");
  }

  private static PluginArchive stage(String name) {
    return PluginArchive.stage(CHECKOUT, JavaRuntime.ofThisProcess(), shared.resolve(name));
  }

  private Path place(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  private String read(Path archive, String file) {
    return CommandRun.of(List.of("tar", "-xzOf", archive.toString(), file), folder).output();
  }
}
