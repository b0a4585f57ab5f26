package dev.pitcrew.cli.command;

import dev.pitcrew.cli.plan.HealthRow;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.XidAdvice;
import dev.pitcrew.cli.print.HealthPrint;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "health",
    versionProvider = GpuCommand.Build.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows GPUs that are not healthy, and what Xids mean.")
final class HealthCommand {
  private HealthCommand() {}

  static CommandLine of(Session session) {
    return new CommandLine(new HealthCommand())
        .addSubcommand(new Unhealthy(session))
        .addSubcommand(new Xid(session));
  }

  @Command(
      name = "list",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Lists the GPUs that are not healthy, the worst first.",
        "Which GPU of its node a pod has is not in the API. Exit code 1 says that there is such a GPU."
      },
      footer = {
        "",
        "Examples:",
        "  kubectl gpu health list",
        "  kubectl gpu health list gpu-1 -o wide    # all evidence, and what the GPU is"
      })
  private static final class Unhealthy extends ReadingCommand {
    @Mixin NodeArgument node = new NodeArgument();

    Unhealthy(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      var cluster = cluster();
      var nodes = node.nodes(cluster);
      var settings = cluster.fleetSettings();
      var holders = cluster.holders();
      List<HealthRow> rows =
          HealthRow.of(nodes.get(), settings.get(), holders.get().map(Holdings::new));
      printRows(
          rows,
          "No GPU is known to be unhealthy.",
          row -> "node/" + row.node(),
          screen -> HealthPrint.print(screen, rows, output.isWide(), session.clock().instant()));
      return rows.isEmpty() ? ExitCodes.OK : ExitCodes.PROBLEM;
    }
  }

  @Command(
      name = "xid",
      versionProvider = GpuCommand.Build.class,
      description = "Says what an Xid of NVIDIA's driver means and what to do. Needs no cluster.",
      footer = {"", "Examples:", "  kubectl gpu health xid 79"})
  private static final class Xid implements Callable<Integer> {
    private final Session session;

    @Mixin OutputFlags output = new OutputFlags();

    @Parameters(
        paramLabel = "<number>",
        description = "Number of the Xid, as the kernel log has it.")
    int number;

    Xid(Session session) {
      this.session = session;
    }

    @Override
    public Integer call() {
      if (number <= 0) {
        throw Names.wrong(
            "%d is no Xid: give its number, such as 79 of NVRM: Xid (PCI:0000:07:00): 79"
                .formatted(number));
      }
      XidAdvice advice = XidAdvice.of(number);
      output.print(
          session, advice, List.of("xid/" + number), screen -> HealthPrint.print(screen, advice));
      return ExitCodes.OK;
    }
  }
}
