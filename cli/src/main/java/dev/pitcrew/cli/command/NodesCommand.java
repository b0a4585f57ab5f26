package dev.pitcrew.cli.command;

import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.NodeRow;
import dev.pitcrew.cli.print.NodesPrint;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "nodes",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Lists the nodes with GPUs.",
      "FREE is what pods could have at once; ? where your rights do not allow to list nodes and pods."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu nodes",
      "  kubectl gpu nodes --bad -o wide    # those that are not ready, with the reason in words"
    })
final class NodesCommand extends ReadingCommand {

  @Option(names = "--bad", description = "Only nodes that are not ready.")
  boolean bad;

  NodesCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    var cluster = cluster();
    var gpuNodes = cluster.gpuNodes();
    var nodes = cluster.nodes();
    var pods = cluster.holders();
    List<NodeRow> all = NodeRow.of(gpuNodes.get(), nodes.get(), pods.get().map(Holdings::new));
    List<NodeRow> rows = all.stream().filter(row -> !bad || !row.ready()).toList();
    printRows(
        rows,
        all.isEmpty() ? "No node has a GPU yet." : "All nodes are ready.",
        row -> "node/" + row.name(),
        screen -> NodesPrint.print(screen, rows, output.isWide(), session.clock().instant()));
    return all.stream().allMatch(NodeRow::ready) ? ExitCodes.OK : ExitCodes.PROBLEM;
  }
}
