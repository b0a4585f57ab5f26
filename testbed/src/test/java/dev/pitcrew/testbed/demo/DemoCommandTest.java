package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.junit.NeedsRealNodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@NeedsRealNodes
class DemoCommandTest {
  @TempDir private Path folder;

  @Test
  void withoutTheImageItFailsAndSaysWhatToDoBeforeItStartsAnything() throws IOException {
    Files.createDirectory(folder.resolve("lib"));
    Files.writeString(folder.resolve("operator.flags"), "");
    var printed = new StringWriter();

    int exitCode =
        new CommandLine(new DemoCommand())
            .setOut(new PrintWriter(printed))
            .execute("--once", "--operator=" + folder, "--image=" + folder);

    assertThat(exitCode).isEqualTo(1);
    assertThat(printed.toString())
        .contains("The demo failed: there is no image of operator and agent", "'make image'")
        .doesNotContain("A real control plane starts");
  }
}
