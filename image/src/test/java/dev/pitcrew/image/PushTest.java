package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// `make push` to a real registry, and what can be had from there.
@Tag("cluster")
@EnabledOnOs(OS.LINUX)
class PushTest {
  // Test budget 150 s: the first run on a machine builds the registry and its client.

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String VERSION = new Repository(ROOT).version();
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir static Path shared;
  private static LocalRegistry registry;
  @TempDir Path folder;
  private Path dist;

  @BeforeAll
  static void start() throws IOException {
    registry = LocalRegistry.start(shared);
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  @BeforeEach
  void makeFolder() throws IOException {
    dist = Files.createDirectory(folder.resolve("dist"));
  }

  @Test
  void theImageThatIsPulledIsTheOneThatWasPushed() throws IOException {
    var archive = image("amd64");
    image("arm64");

    var push = push(registry.host() + "/both");

    assertThat(push.status()).as(push.output()).isZero();
    assertThat(push.output()).contains("its index has linux/amd64, linux/arm64\n");
    var name = registry.host() + "/both/pitcrew:" + VERSION;
    assertThat(push.output())
        .contains("image " + name + "@" + registry.ask("digest", name).strip());
    var index = JSON.readTree(registry.ask("manifest", name));
    assertThat(index.path("mediaType").asText())
        .isEqualTo("application/vnd.oci.image.index.v1+json");
    assertThat(texts(index.path("manifests"), "/platform/architecture"))
        .containsExactly("amd64", "arm64");
    var pulled = folder.resolve("pulled.tar");
    registry.ask("pull", "--platform=linux/amd64", name, pulled.toString());
    assertThat(configuration(pulled)).isEqualTo(configuration(archive));
  }

  @Test
  void aProcessorThatIsMissingIsSaid() throws IOException {
    image("amd64");

    var push = push(registry.host() + "/one");

    assertThat(push.output())
        .contains("its index has linux/amd64 only; for linux/arm64 put the archive");
  }

  /// Helm itself pulls from where it pushed, and needs no value for the image.
  @Test
  void theChartNamesTheRegistryThatItLiesIn() throws IOException, InterruptedException {
    image("amd64");

    var push = push(registry.host() + "/gpu");

    var chart = registry.host() + "/gpu/charts/pitcrew:" + VERSION;
    assertThat(push.output()).contains("Digest: " + registry.ask("digest", chart).strip());
    var content = JSON.readTree(registry.ask("manifest", chart)).at("/layers/0");
    assertThat(content.path("mediaType").asText())
        .isEqualTo("application/vnd.cncf.helm.chart.content.v1.tar+gzip");
    var pulled =
        Files.write(
            folder.resolve("pitcrew-%s.tgz".formatted(VERSION)),
            registry.blob("gpu/charts/pitcrew", content.path("digest").asText()));
    assertThat("sha256:" + Sbom.sha256(pulled)).isEqualTo(content.path("digest").asText());
    var release = new ReleaseName("gpu-operator", "gpu-operator");
    assertThat(new Chart(pulled).lint().isClean()).isTrue();
    var image = "%s/gpu/pitcrew:%s".formatted(registry.host(), VERSION);
    assertThat(new Chart(pulled).template(release, Values.DEFAULTS)).contains("image: " + image);
    var set = new Values("{pitcrew: {image: {repository: '%s/gpu'}}}".formatted(registry.host()));
    assertThat(new Chart(pulled).template(release, Values.DEFAULTS))
        .isEqualTo(new Chart(ROOT.resolve("charts/pitcrew")).template(release, set));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"https://registry.example.com", "r.example.com/GPU", "r.example.com/gpu:v1", ""})
  void whatIsNoRegistryIsRefused(String name) throws IOException {
    image("amd64");

    var push = push(name);

    assertThat(push.status()).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(push.output())
        .startsWith("push: REGISTRY is \"%s\": give host and path".formatted(name));
  }

  @Test
  void aRegistryThatDoesNotAnswerIsNamed() throws IOException {
    image("amd64");

    var push = push("127.0.0.1:1/gpu");

    assertThat(push.status()).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(push.output())
        .contains("127.0.0.1:1", "connection refused")
        .doesNotContain("\tat ", "Exception");
  }

  @Test
  void withoutAnImageTheCommandThatMakesOneIsNamed() {
    var push = push(registry.host());

    assertThat(push.status()).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(push.output()).contains("run 'make dist'");
  }

  private CommandRun push(String name) {
    var words = new ByteArrayOutputStream();
    var out = new PrintStream(words, true, StandardCharsets.UTF_8);
    var status =
        new CommandLine(new PushCommand(out, out))
            .execute("--repository=" + ROOT, "--dist=" + dist, name);
    return new CommandRun(status, words.toString(StandardCharsets.UTF_8));
  }

  /// An archive as `make dist` has it for a processor, with one small layer.
  private Path image(String processor) throws IOException {
    var file = Files.writeString(folder.resolve("file"), "for " + processor);
    var archive = dist.resolve("pitcrew-%s-%s.tar".formatted(VERSION, processor));
    Image.named("localhost/pitcrew:" + VERSION)
        .withEntrypoint("pitcrew")
        .withLabel("org.opencontainers.image.title", "Pitcrew")
        .withLayer(Layer.titled("a file").withFile("/file", file))
        .writeTo(archive);
    if (!processor.equals(Image.architecture())) {
      readdress(archive, processor);
    }
    return archive;
  }

  /// Says that the image is for another processor.
  private void readdress(Path archive, String processor) throws IOException {
    var work = Files.createDirectory(folder.resolve("unpacked-" + processor));
    tar("-xf", archive, work);
    var config =
        work.resolve(ImageUnderTest.json(archive, "manifest.json").at("/0/Config").asText());
    var text = Files.readString(config);
    Files.writeString(config, text.replace(Image.architecture(), processor));
    tar("-cf", archive, work, "blobs", "manifest.json");
  }

  private static void tar(String action, Path archive, Path work, String... more) {
    var command =
        new ArrayList<>(List.of("tar", action, archive.toString(), "-C", work.toString()));
    command.addAll(List.of(more));
    var run = CommandRun.of(command, work);
    assertThat(run.succeeded()).as(run.output()).isTrue();
  }

  /// What an archive says about processor, entry point, labels and layers.
  private static JsonNode configuration(Path archive) throws IOException {
    var file = ImageUnderTest.json(archive, "manifest.json").at("/0/Config").asText();
    return ImageUnderTest.json(archive, file);
  }

  private static List<String> texts(JsonNode list, String path) {
    return StreamSupport.stream(list.spliterator(), false).map(it -> it.at(path).asText()).toList();
  }
}
