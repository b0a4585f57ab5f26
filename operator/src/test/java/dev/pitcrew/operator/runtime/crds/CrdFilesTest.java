package dev.pitcrew.operator.runtime.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrdFilesTest {
  private final CrdFiles files = new CrdFiles(new KubernetesSerialization());

  @TempDir Path folder;

  @Test
  void foldersAreSearchedForYamlAndOtherKindsAreSkipped() throws IOException {
    write("b.yml", TestDefinitions.yaml("seconds"));
    write(
        "nested/a.yaml",
        "# head\n---\n"
            + TestDefinitions.yaml("firsts")
            + "--- # next\nkind: ConfigMap\napiVersion: v1\n---\n");
    write("notes.txt", "no: yaml: at all");

    assertThat(names(files.read(List.of(folder))))
        .containsExactly("seconds.pitcrew.test", "firsts.pitcrew.test");
  }

  @Test
  void pathsKeepTheirOrderAndAFileNeedsNoYamlEnding() throws IOException {
    Path first = write("z.txt", TestDefinitions.yaml("zeds"));
    Path second = write("a.yaml", TestDefinitions.yaml("ays"));

    assertThat(names(files.read(List.of(first, second))))
        .containsExactly("zeds.pitcrew.test", "ays.pitcrew.test");
  }

  @Test
  void onlyServedVersionsAreExpected() {
    var definition = files.parse(TestDefinitions.yaml("widgets"), "test").findFirst().orElseThrow();

    assertThat(definition.servedGroupVersions()).containsExactly("pitcrew.test/v1");
    assertThat(definition.plural()).isEqualTo("widgets");
  }

  @Test
  void unreadableFile_isNamed() throws IOException {
    Path broken = write("broken.yaml", "kind: [");

    assertThatThrownBy(() -> files.read(List.of(broken)))
        .hasMessageStartingWith(broken + " holds a document that is no Kubernetes object");
    assertThatThrownBy(() -> files.parse("kind: CustomResourceDefinition", "x.yaml").toList())
        .hasMessage("x.yaml holds a definition without metadata.name");
    assertThatThrownBy(() -> files.read(List.of(folder.resolve("absent"))))
        .hasMessage(
            folder.resolve("absent") + " does not exist; --filepath takes a file or a folder");
  }

  private Path write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static List<String> names(List<CrdDocument> definitions) {
    return definitions.stream().map(CrdDocument::name).toList();
  }
}
