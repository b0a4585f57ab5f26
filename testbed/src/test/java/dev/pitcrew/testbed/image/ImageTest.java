package dev.pitcrew.testbed.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageTest {
  private static final String LONG_NAME = "x".repeat(90) + "/" + "y".repeat(90);
  @TempDir private Path folder;

  @Test
  void theSameFilesGiveTheSameBytes() throws IOException {
    var tree = tree();
    var first = image(tree).writeTo(folder.resolve("first.tar"));
    Files.setLastModifiedTime(tree.resolve("bin/run"), FileTime.fromMillis(0));
    var second = image(tree).writeTo(folder.resolve("second.tar"));

    assertThat(first).hasSameBinaryContentAs(second);
  }

  @Test
  void theLayerHoldsFilesLinksAndFoldersOfRoot() throws IOException {
    var unpacked = unpack(image(tree()).writeTo(folder.resolve("image.tar")));

    assertThat(tar("-tvf", layer(unpacked)).lines())
        .map(line -> line.replaceAll(" +", " "))
        .containsExactly(
            "drwxr-xr-x 0/0 0 1970-01-01 00:00 app/",
            "drwxr-xr-x 0/0 0 1970-01-01 00:00 app/bin/",
            "-rwxr-xr-x 0/0 7 1970-01-01 00:00 app/bin/run",
            "lrwxrwxrwx 0/0 0 1970-01-01 00:00 app/link -> bin/run",
            "drwxr-xr-x 0/0 0 1970-01-01 00:00 app/" + "x".repeat(90) + "/",
            "-rw-r--r-- 0/0 5 1970-01-01 00:00 app/" + LONG_NAME,
            "drwxr-xr-x 0/0 0 1970-01-01 00:00 etc/",
            "-rw-r--r-- 0/0 5 1970-01-01 00:00 etc/settings");
  }

  @Test
  void digestsNameWhatTheyAreOf() throws Exception {
    var unpacked = unpack(image(tree()).writeTo(folder.resolve("image.tar")));
    var manifest = json(unpacked.resolve("manifest.json")).path(0);
    var configurationFile = unpacked.resolve(manifest.path("Config").asText());
    var configuration = json(configurationFile);
    var blobs = unpacked.resolve("blobs/sha256");

    assertThat(manifest.path("RepoTags").path(0).asText()).isEqualTo("testbed.local/app:1");
    for (var blob : files(blobs)) {
      assertThat(blob).hasFileName(sha256(blob));
    }
    assertThat(configurationFile).hasParent(blobs);
    assertThat(configuration.at("/rootfs/diff_ids/0").asText())
        .isEqualTo("sha256:" + sha256(layer(unpacked)));
    assertThat(configuration.at("/config/Entrypoint").toString()).isEqualTo("[\"/app/bin/run\"]");
    assertThat(configuration.at("/config/Env").toString()).isEqualTo("[\"B=2\",\"A=1\"]");
    assertThat(configuration.at("/config/User").asText()).isEqualTo("65532");
  }

  @Test
  void bothFormsOfTheArchiveNameTheSameParts() throws IOException {
    var unpacked = unpack(image(tree()).writeTo(folder.resolve("image.tar")));
    var docker = json(unpacked.resolve("manifest.json")).path(0);
    var entry = json(unpacked.resolve("index.json")).at("/manifests/0");
    var manifest = json(blob(unpacked, entry.path("digest")));

    assertThat(entry.at("/annotations/io.containerd.image.name").asText())
        .isEqualTo("testbed.local/app:1");
    assertThat(unpacked.resolve(docker.path("Config").asText()))
        .isEqualTo(blob(unpacked, manifest.at("/config/digest")));
    assertThat(manifest.path("layers")).hasSize(2);
    assertThat(docker.path("Layers")).hasSize(2);
    for (var i = 0; i < 2; i++) {
      var layer = manifest.path("layers").path(i);
      var file = unpacked.resolve(docker.path("Layers").path(i).asText());
      assertThat(file).isEqualTo(blob(unpacked, layer.path("digest")));
      assertThat(file).hasSize(layer.path("size").asLong());
    }
    assertThat(manifest.path("annotations").toString())
        .isEqualTo("{\"org.opencontainers.image.title\":\"app\"}");
    assertThat(unpacked.resolve("oci-layout")).hasContent("{\"imageLayoutVersion\":\"1.0.0\"}");
  }

  private static Path layer(Path unpacked) throws IOException {
    var manifest = json(unpacked.resolve("manifest.json")).path(0);
    return unpacked.resolve(manifest.path("Layers").path(0).asText());
  }

  private static Path blob(Path unpacked, JsonNode digest) {
    return unpacked.resolve("blobs").resolve(digest.asText().replace(':', '/'));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  private Image image(Path tree) throws IOException {
    var settings = Files.writeString(folder.resolve("settings"), "hello");
    return Image.named("testbed.local/app:1")
        .withEntrypoint("/app/bin/run")
        .withEnvironment("B", "2")
        .withEnvironment("A", "1")
        .withUser("65532")
        .withLabel("org.opencontainers.image.title", "app")
        .withLayer(Layer.titled("tree").withTree("/app", tree).withFile("/etc/settings", settings))
        .withLayer(Layer.titled("settings").withFile("/etc/settings", settings));
  }

  private Path tree() throws IOException {
    var tree = folder.resolve("tree");
    Files.createDirectories(tree.resolve("bin"));
    var run = Files.writeString(tree.resolve("bin/run"), "#!/bin/");
    Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rwx------"));
    Files.createSymbolicLink(tree.resolve("link"), Path.of("bin/run"));
    Files.createDirectories(tree.resolve("x".repeat(90)));
    Files.writeString(tree.resolve(LONG_NAME), "plain");
    return tree;
  }

  private Path unpack(Path archive) throws IOException {
    var unpacked = Files.createDirectories(folder.resolve("unpacked"));
    tar("-xf", archive, "-C", unpacked);
    return unpacked;
  }

  private static String tar(Object... arguments) {
    var words = new ArrayList<>(List.of("env", "TZ=UTC", "tar", "--numeric-owner"));
    List.of(arguments).forEach(argument -> words.add(argument.toString()));
    var run = CommandRun.of(words, Path.of("/"));
    assertThat(run.status()).as(run.output()).isZero();
    return run.output();
  }

  private static JsonNode json(Path file) throws IOException {
    return new JsonMapper().readTree(file.toFile());
  }

  private static String sha256(Path file) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
    return HexFormat.of().formatHex(digest);
  }
}
