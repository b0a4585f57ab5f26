package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.cdi.SpecificationFolder.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpecificationFolderTest {
  private static final String NAME = "nvidia.com-gpu.json";

  @TempDir Path parent = Path.of("");

  private SpecificationFolder folder() {
    return new SpecificationFolder(parent.resolve("cdi"));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder().folder())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void fileIsWrittenForAllToReadAndNothingElseStays() throws IOException {
    Outcome outcome = folder().write(NAME, "new");
    Path file = folder().folder().resolve(NAME);
    assertThat(outcome).isEqualTo(new Outcome.Written(file));
    assertThat(file).hasContent("new");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r--r--");
    assertThat(names()).containsExactly(NAME);
  }

  @Test
  void contentThatStaysIsNotTouched() throws IOException {
    Path file = folder().folder().resolve(NAME);
    folder().write(NAME, "same");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
    assertThat(folder().write(NAME, "same")).isEqualTo(new Outcome.Unchanged(file));
    assertThat(Files.getLastModifiedTime(file).toMillis()).isEqualTo(1_000);
  }

  @Test
  void writerKilledBeforeTheRenameLeavesTheOldFileAndNothingThatARuntimeReads() throws IOException {
    folder().write(NAME, "old");
    Path left = folder().stage(NAME, "half".getBytes(StandardCharsets.UTF_8));

    assertThat(folder().folder().resolve(NAME)).hasContent("old");
    assertThat(left.toString()).doesNotEndWith(".json").doesNotEndWith(".yaml");

    folder().write(NAME, "new");
    assertThat(folder().folder().resolve(NAME)).hasContent("new");
    assertThat(names()).containsExactly(NAME);
  }

  @Test
  void leftoversOfOtherWritersStay() throws IOException {
    folder().write(NAME, "old");
    Files.createFile(folder().folder().resolve("spec.123.tmp"));
    folder().write(NAME, "new");
    assertThat(names()).containsExactly(NAME, "spec.123.tmp");
  }

  @Test
  void fullDiskIsAValueAndTheOldFileStays() throws Exception {
    Path small = Files.createDirectory(parent.resolve("cdi"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=64k", "none", small.toString()),
        "file systems are mounted by root only");
    try {
      folder().write(NAME, "old");
      Outcome outcome = folder().write(NAME, "x".repeat(100_000));
      assertThat(outcome).isInstanceOf(Outcome.Failed.class);
      assertThat(((Outcome.Failed) outcome).message())
          .contains(small.toString(), "No space left on device", "free space");
      assertThat(small.resolve(NAME)).hasContent("old");
      assertThat(names()).containsExactly(NAME);
    } finally {
      assertThat(run("umount", small.toString())).isTrue();
    }
  }

  @Test
  void folderThatCannotBeMadeIsNamed() throws IOException {
    Files.writeString(parent.resolve("cdi"), "a file");
    assertThat(folder().write(NAME, "new"))
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> assertThat(failed.message()).contains(parent.resolve("cdi").toString()));
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).start().waitFor() == 0;
  }
}
