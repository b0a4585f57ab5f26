package dev.pitcrew.testbed.operator;

import dev.pitcrew.testbed.image.BuiltImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options of every command that runs the built operator.
public final class OperatorOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  @Option(
      names = "--operator",
      paramLabel = "FOLDER",
      defaultValue = "operator/target",
      description = "The built operator: its jar, and lib/ (default: ${DEFAULT-VALUE}).")
  private Path folder = Path.of("");

  @Option(
      names = "--operator-flags",
      paramLabel = "FILE",
      description = {
        "The flags of its JVM, as a Java argument file",
        "(default: " + OperatorProgram.FLAGS_FILE + " in that folder)."
      })
  private Optional<Path> flags = Optional.empty();

  @Option(
      names = "--operator-java",
      paramLabel = "FILE",
      description = "Runs it (default: the java that runs this command).")
  private Optional<Path> java = Optional.empty();

  @Option(
      names = "--operator-image",
      paramLabel = "FOLDER",
      description = "Runs the operator of this root file system of the image instead.")
  private Optional<Path> image = Optional.empty();

  /// The operator that was asked for.
  ///
  /// @throws ParameterException if it is not built
  public OperatorProgram program() {
    return image.map(BuiltImage::in).map(OperatorProgram::of).orElseGet(this::built);
  }

  private OperatorProgram built() {
    var built = OperatorProgram.in(folder);
    require(folder.resolve("lib"));
    var program =
        new OperatorProgram(
            java.orElse(built.java()),
            flags.orElse(built.flags()),
            built.cache(),
            built.classPath());
    require(program.flags());
    return program;
  }

  private void require(Path file) {
    if (Files.notExists(file)) {
      throw new ParameterException(
          command.commandLine(),
          "there is no %s; build the operator with make build, or see --operator".formatted(file));
    }
  }
}
