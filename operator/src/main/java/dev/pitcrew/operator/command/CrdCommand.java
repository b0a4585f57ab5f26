package dev.pitcrew.operator.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
  int apply(
      @Mixin CrdFlags flags,
      @Option(
              names = "--fleet-policy",
              paramLabel = "<json>",
              description =
                  "A FleetPolicy to create once its definition is served. One that a former call created gets what has changed; any other stays as it is.")
          @Nullable String fleetPolicy) {
    return program.apply(flags.options(environment, Optional.ofNullable(fleetPolicy)));
  }

  @Command(
      name = "delete",
      description = {
        "Removes the definitions, and with them every object of their kinds.",
        "Definitions that are not there are no error."
      })
  int delete(@Mixin CrdFlags flags) {
    return program.delete(flags.options(environment, Optional.empty()));
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

    CrdOptions options(Environment environment, Optional<String> fleetPolicy) {
      return new CrdOptions(files, kubeconfig.path, debug || environment.debug(), fleetPolicy);
    }
  }
}
