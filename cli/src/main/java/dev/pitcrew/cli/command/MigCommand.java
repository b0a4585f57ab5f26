package dev.pitcrew.cli.command;

import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.MigProfileRow;
import dev.pitcrew.cli.plan.MigRow;
import dev.pitcrew.cli.print.MigPrint;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "mig",
    versionProvider = GpuCommand.Build.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows how GPUs are divided (MIG), and how they are to be.")
final class MigCommand {
  private MigCommand() {}

  static CommandLine of(Session session) {
    return new CommandLine(new MigCommand())
        .addSubcommand(new Status(session))
        .addSubcommand(new Profiles(session));
  }

  @Command(
      name = "status",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Shows the layout that each node should have, the one that it has, and what it waits for.",
        "Exit code 1 says that a node does not have its layout."
      },
      footer = {
        "",
        "Examples:",
        "  kubectl gpu mig status",
        "  kubectl gpu mig status gpu-1 -o wide    # with the message and what to do"
      })
  private static final class Status extends ReadingCommand {
    @Mixin NodeArgument node = new NodeArgument();

    Status(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      var cluster = cluster();
      var gpuNodes = node.nodes(cluster);
      var nodes = cluster.nodes();
      var settings = cluster.fleetSettings();
      List<MigRow> rows = MigRow.of(gpuNodes.get(), nodes.get(), settings.get());
      printRows(
          rows,
          "No GPU can be divided.",
          row -> "node/" + row.node(),
          screen -> MigPrint.status(screen, rows, output.isWide(), session.clock().instant()));
      return rows.stream().allMatch(MigRow::ok) ? ExitCodes.OK : ExitCodes.PROBLEM;
    }
  }

  @Command(
      name = "profiles",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Lists the MIG devices of each node by profile, and the resource by which pods ask for them.",
        "FREE is what pods could have at once; ? where your rights do not allow to list nodes and pods."
      },
      footer = {"", "Examples:", "  kubectl gpu mig profiles", "  kubectl gpu mig profiles gpu-1"})
  private static final class Profiles extends ReadingCommand {
    @Mixin NodeArgument node = new NodeArgument();

    Profiles(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      var cluster = cluster();
      var gpuNodes = node.nodes(cluster);
      var nodes = cluster.nodes();
      var holders = cluster.holders();
      List<MigProfileRow> rows =
          MigProfileRow.of(gpuNodes.get(), nodes.get(), holders.get().map(Holdings::new));
      printRows(
          rows,
          "No GPU is divided. See: kubectl gpu mig status",
          row -> "node/" + row.node(),
          screen -> MigPrint.profiles(screen, rows));
      return ExitCodes.OK;
    }
  }
}
