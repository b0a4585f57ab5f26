package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ImageReading;
import dev.pitcrew.cli.cluster.PulledImage;
import dev.pitcrew.cli.cluster.RunningImage;
import dev.pitcrew.cli.plan.ImageRow;
import dev.pitcrew.cli.print.ImagesPrint;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "images",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Lists the images that the operator and its policies have nodes pull, with the digests that nodes have.",
      "It needs no Pitcrew: beside the NVIDIA GPU Operator it lists that one's."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu images",
      "  kubectl gpu images -o name    # one a line, by digest, to copy them to another registry"
    })
final class ImagesCommand extends ReadingCommand {
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "<name>",
      defaultValue = "",
      description = "Namespace of the operator (default: wherever its Deployment is).")
  String namespace = "";

  ImagesCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    String wanted = namespace.isEmpty() ? "" : Names.require("namespace", namespace);
    var reading = new ImageReading(cluster());
    List<String> places = wanted.isEmpty() ? reading.operators() : List.of(wanted);
    if (places.isEmpty()) {
      throw new RefusedException(
          new Refusal(
              Refusal.Kind.NOT_FOUND,
              "there is no Deployment gpu-operator in this cluster: what your values ask for is in docs/private-registry.md"));
    }
    var pulled = new ArrayList<PulledImage>();
    var running = new ArrayList<RunningImage>();
    for (String place : places) {
      var templates = reading.pulled(place);
      var pods = reading.running(place);
      pulled.addAll(templates.get());
      pods.get()
          .ifPresentOrElse(
              running::addAll,
              () ->
                  warn(
                      "no digests: your rights do not allow to list the pods of namespace "
                          + place));
    }
    List<ImageRow> all = ImageRow.of(pulled, running);
    printRows(
        all,
        "No workload of an operator is there.",
        ImageRow::reference,
        screen -> ImagesPrint.print(screen, all, output.isWide()));
    return ExitCodes.OK;
  }
}
