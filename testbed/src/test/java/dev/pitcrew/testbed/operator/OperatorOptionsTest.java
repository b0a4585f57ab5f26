package dev.pitcrew.testbed.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class OperatorOptionsTest {
  @TempDir private Path folder;

  @Command
  private static final class Sample {
    @Mixin private OperatorOptions operator = new OperatorOptions();
  }

  @Test
  void theBuiltOperatorBringsItsFlags() throws IOException {
    build();

    assertThat(options().program()).isEqualTo(OperatorProgram.in(folder));
  }

  @Test
  void flagsAndJavaCanBeOthers() throws IOException {
    build();
    var flags = Files.createFile(folder.resolve("other.flags"));

    var program = options("--operator-flags=" + flags, "--operator-java=/jdk/bin/java").program();

    assertThat(program.flags()).isEqualTo(flags);
    assertThat(program.java()).isEqualTo(Path.of("/jdk/bin/java"));
  }

  @Test
  void anOperatorThatIsNotBuiltIsRefusedWithTheRemedy() {
    assertThatThrownBy(() -> options().program())
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(folder + "/lib")
        .hasMessageContaining("make build");
  }

  @Test
  void flagsThatAreNowhereAreRefused() throws IOException {
    build();
    var missing = folder.resolve("no.flags");

    assertThatThrownBy(() -> options("--operator-flags=" + missing).program())
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(missing.toString());
  }

  private void build() throws IOException {
    Files.createDirectory(folder.resolve("lib"));
    Files.createFile(folder.resolve(OperatorProgram.FLAGS_FILE));
  }

  private OperatorOptions options(String... more) {
    var sample = new Sample();
    var folderFirst = Stream.concat(Stream.of("--operator=" + folder), Stream.of(more));
    new CommandLine(sample).parseArgs(folderFirst.toArray(String[]::new));
    return sample.operator;
  }
}
