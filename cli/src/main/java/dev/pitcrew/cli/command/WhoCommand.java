package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.HolderRow;
import dev.pitcrew.cli.print.HoldersPrint;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "who",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Lists the pods that hold GPUs, by their requests.",
      "Which GPU of its node a pod has is not in the API."
    },
    footer = {"", "Examples:", "  kubectl gpu who", "  kubectl gpu who gpu-1"})
final class WhoCommand implements Callable<Integer>, ClusterCommand {
  private final Session session;

  @Mixin ConnectionFlags connection = new ConnectionFlags();
  @Mixin OutputFlags output = new OutputFlags();

  @Parameters(
      paramLabel = "<node>",
      arity = "0..1",
      defaultValue = "",
      description = "Only the pods of this node.")
  String node = "";

  WhoCommand(Session session) {
    this.session = session;
  }

  @Override
  public ConnectionFlags connection() {
    return connection;
  }

  @Override
  public Integer call() {
    String name = node.replaceFirst("^nodes?/", "");
    var cluster = connection.cluster(session);
    var nodes = cluster.gpuNodes();
    var holders = cluster.holders();
    List<String> known = nodes.get().stream().map(GpuNode::name).toList();
    List<Pod> pods =
        holders
            .get()
            .orElseThrow(() ->
                new RefusedException(
                    new Refusal(
                        Refusal.Kind.FORBIDDEN,
                        "your rights do not allow to list the pods of all namespaces, by which the holders of GPUs are known")));
    if (!name.isEmpty()) {
      Names.requireKnown("node", name, known);
    }
    List<HolderRow> rows = HolderRow.of(pods, name);
    if (rows.isEmpty()) {
      session.err().println("No pod holds a GPU.");
    }
    output.print(
        session,
        rows,
        rows.stream().map(row -> "pod/" + row.pod()).toList(),
        screen -> {
          if (!rows.isEmpty()) {
            HoldersPrint.print(screen, rows, session.clock().instant());
          }
        });
    return ExitCodes.OK;
  }
}
