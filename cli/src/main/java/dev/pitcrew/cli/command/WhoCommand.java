package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.HolderRow;
import dev.pitcrew.cli.print.HoldersPrint;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "who",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Lists the pods that hold GPUs, by their requests.",
      "Which GPU of its node a pod has is not in the API."
    },
    footer = {"", "Examples:", "  kubectl gpu who", "  kubectl gpu who gpu-1"})
final class WhoCommand extends ReadingCommand {

  @Mixin NodeArgument node = new NodeArgument();

  WhoCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    var cluster = cluster();
    var nodes = node.nodes(cluster);
    var holders = cluster.holders();
    var _ = nodes.get(); // of a cluster or a node without GPUs, it says so
    List<Pod> pods =
        holders
            .get()
            .orElseThrow(() ->
                new RefusedException(
                    new Refusal(
                        Refusal.Kind.FORBIDDEN,
                        "your rights do not allow to list the pods of all namespaces, by which the holders of GPUs are known")));
    List<HolderRow> rows = HolderRow.of(pods, node.name());
    printRows(
        rows,
        "No pod holds a GPU.",
        row -> "pod/" + row.pod(),
        screen -> HoldersPrint.print(screen, rows, session.clock().instant()));
    return ExitCodes.OK;
  }
}
