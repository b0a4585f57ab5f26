package dev.pitcrew.operator.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "manage-crds",
    description = {
      "Installs or removes custom resource definitions.",
      "Without --filepath these are the ones that come with this program."
    },
    synopsisSubcommandLabel = "(apply | delete)")
final class CrdCommand {
  private final CrdProgram program;
  private final Environment environment;

  CrdCommand(CrdProgram program, Environment environment) {
    this.program = program;
    this.environment = environment;
  }

  @Command(
      name = "apply",
      description = {
        "Creates or updates the definitions and waits until the API server serves them.",
        "Documents of other kinds are skipped."
      })
  int apply(@Mixin CrdFlags flags) {
    return program.apply(flags.options(environment));
  }

  @Command(
      name = "delete",
      description = {
        "Removes the definitions, and with them every object of their kinds.",
        "Definitions that are not there are no error."
      })
  int delete(@Mixin CrdFlags flags) {
    return program.delete(flags.options(environment));
  }

  /// What both sub-commands take.
  static final class CrdFlags {
    @Mixin KubeconfigFlag kubeconfig = new KubeconfigFlag();

    @Option(
        names = {"-f", "--filepath"},
        paramLabel = "<path>",
        description =
            "A YAML file, or a folder that is searched for .yaml and .yml. May be repeated.")
    List<Path> files = new ArrayList<>();

    @Option(
        names = {"-d", "--debug"},
        paramLabel = "<true|false>",
        arity = "0..1",
        fallbackValue = "true",
        description =
            "Print the whole error when something fails (also by the environment's DEBUG=true).")
    boolean debug;

    CrdOptions options(Environment environment) {
      return new CrdOptions(files, kubeconfig.path, debug || environment.debug());
    }
  }
}
