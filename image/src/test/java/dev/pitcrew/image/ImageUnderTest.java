package dev.pitcrew.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.image.BuiltImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The image of this checkout, built once for all tests, with what the last build left. In `make
/// test` it is there before: other tests run its programs, so its folder must not be written again.
final class ImageUnderTest {
  private static final ImageBuild BUILD = ImageBuild.of(Path.of(".."), line -> {});
  private static final Path ARCHIVE =
      BuiltImage.ofTests().isPresent() ? BUILD.archive() : BUILD.run();

  private ImageUnderTest() {}

  static ImageBuild build() {
    return BUILD;
  }

  static Path archive() {
    return ARCHIVE;
  }

  static Container container() {
    return Container.of(BUILD.rootfs());
  }

  /// The digests of the layers of an archive, the first at the bottom.
  static List<String> layers(Path archive) throws IOException {
    var digests = new ArrayList<String>();
    json(archive, "manifest.json")
        .path(0)
        .path("Layers")
        .forEach(path -> digests.add(path.asText()));
    return digests;
  }

  static JsonNode json(Path archive, String file) throws IOException {
    var run =
        CommandRun.of(
            List.of("tar", "-xOf", archive.toString(), file), Path.of("").toAbsolutePath());
    return new JsonMapper().readTree(run.output());
  }

  /// A copy that may be changed.
  static Path copyOfRootfs(Path folder) {
    var copy = folder.resolve("rootfs");
    var run =
        CommandRun.of(
            List.of("cp", "-a", "--reflink=auto", BUILD.rootfs().toString(), copy.toString()),
            folder);
    if (!run.succeeded() || !Files.isDirectory(copy)) {
      throw new AssertionError(run.output());
    }
    return copy;
  }
}
