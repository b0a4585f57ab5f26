package dev.pitcrew.cli.diag;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pitcrew.cli.diag.Bundle.Piece;
import dev.pitcrew.cli.print.Documents;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The file of a bundle.
class BundleTest {
  @TempDir Path folder;

  @Test
  void whatDoesNotFitIsLeftOut_andSaid() throws IOException {
    Path target = folder.resolve("b.zip");
    try (var archive = new Archive(target, false)) {
      var bundle = new Bundle(archive, 1 << 20);
      bundle.add(Piece.text("first", "a".repeat(1_000_000)));
      bundle.add(Piece.text("too-large", "b ".repeat(50_000)));
      bundle.add(Piece.text("last", "password=hunter2"));
      bundle.complete((contents, _) -> contents.entries().toString());
    }

    try (var zip = new ZipFile(target.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName))
          .containsExactly("first", "last", "errors.txt", "redactions.txt", "index.html");
      assertThat(content(zip, "errors.txt"))
          .contains("1 files that do not fit into 1 MiB", "--max-size");
      assertThat(content(zip, "redactions.txt")).contains("last").doesNotContain("hunter2");
    }
  }

  @Test
  void bundleThatIsGivenUp_leavesNoFile() throws IOException {
    var archive = new Archive(folder.resolve("b.zip"), false);
    new Bundle(archive, 1000).add(Piece.text("a", "b"));
    archive.close();

    assertThat(files()).isEmpty();
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> archive.add("c", "d"));
    assertThatExceptionOfType(IOException.class).isThrownBy(archive::complete);
    assertThat(files()).isEmpty();
  }

  @Test
  void fileThatAnotherProgramWritesMeanwhileStays() throws IOException {
    Path target = folder.resolve("b.zip");
    try (var archive = new Archive(target, false)) {
      archive.add("a", "b");
      Files.writeString(target, "of another program");

      assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(archive::complete);
    }
    assertThat(target).hasContent("of another program");
    assertThat(files()).containsExactly("b.zip");
  }

  @Test
  void keysThatYamlCouldReadOtherwiseAreQuoted() {
    assertThat(Documents.yaml(Map.of("a: b\nc", "d"))).isEqualTo("\"a: b\\nc\": \"d\"\n");
    assertThat(Documents.yaml(Map.of("no", "d"))).isEqualTo("\"no\": \"d\"\n");
    assertThat(Documents.yaml(Map.of("nvidia.com/gpu", "d"))).isEqualTo("nvidia.com/gpu: \"d\"\n");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(it -> String.valueOf(it.getFileName())).toList();
    }
  }

  private static String content(ZipFile zip, String file) throws IOException {
    try (InputStream content = zip.getInputStream(zip.getEntry(file))) {
      return new String(content.readAllBytes(), UTF_8);
    }
  }
}
