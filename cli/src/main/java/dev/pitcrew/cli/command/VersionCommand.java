package dev.pitcrew.cli.command;

import dev.pitcrew.cli.print.Style;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "version",
    versionProvider = GpuCommand.Build.class,
    description = "Prints the versions of this plugin, of Kubernetes and of the API of Pitcrew.")
final class VersionCommand extends ReadingCommand {
  /// @param pitcrewApi empty where the cluster has no Pitcrew
  private record Versions(String plugin, String kubernetes, List<String> pitcrewApi) {}

  @Option(names = "--client", description = "Only that of this plugin: no cluster is needed.")
  boolean client;

  VersionCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    var cluster = cluster();
    var versions =
        client
            ? new Versions(GpuCommand.Build.version(), "", List.of())
            : new Versions(
                GpuCommand.Build.version(), cluster.kubernetesVersion(), cluster.apiVersions());
    output.print(
        session,
        versions,
        List.of(versions.plugin()),
        screen -> {
          screen.paragraph("kubectl gpu  ", Style.PLAIN, versions.plugin());
          if (!client) {
            screen.paragraph("Kubernetes   ", Style.PLAIN, versions.kubernetes());
            screen.paragraph(
                "pitcrew.dev  ",
                Style.PLAIN,
                versions.pitcrewApi().isEmpty()
                    ? "not in this cluster"
                    : String.join(", ", versions.pitcrewApi()));
          }
        });
    return ExitCodes.OK;
  }
}
