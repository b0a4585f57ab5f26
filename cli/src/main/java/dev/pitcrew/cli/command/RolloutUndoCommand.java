package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.DriverSource;
import dev.pitcrew.cli.cluster.ObjectNames;
import dev.pitcrew.cli.cluster.RolloutReading;
import dev.pitcrew.cli.plan.FormerDriver;
import dev.pitcrew.core.rollout.RolloutWords;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "undo",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Asks for the driver that the cluster had before: nodes that got the new one follow one by one.",
      "Sets spec.driver.version of the ClusterPolicy."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu rollout undo --dry-run=server   # which version that is",
      "  kubectl gpu rollout undo"
    })
final class RolloutUndoCommand extends WritingCommand {
  RolloutUndoCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    var reading = new RolloutReading(cluster());
    var revisions = reading.revisions();
    List<DriverSource> sources = reading.sources();
    if (sources.isEmpty()) {
      throw Names.wrong(RolloutWords.NO_SOURCE);
    }
    DriverSource source = sources.getFirst();
    if (!source.isClusterPolicy()) {
      throw Names.wrong(
          "drivers are those of NVIDIADrivers: set the version of the one that is meant, such as kubectl patch nvidiadriver %s --type=merge -p '{\"spec\":{\"version\":\"VERSION\"}}'"
              .formatted(source.name()));
    }
    List<String> former = FormerDriver.versions(source, revisions.get());
    if (former.size() != 1) {
      throw Names.wrong(
          (former.isEmpty()
                  ? "no former version of the driver is known, of the image %s: "
                      .formatted(source.image().isEmpty() ? "that is asked for" : source.image())
                  : "the DaemonSets had different versions before (%s): "
                      .formatted(String.join(", ", former)))
              + "ask for one with "
              + patch(source.name(), "VERSION"));
    }
    String version = former.getFirst();
    return write(
        "clusterpolicies.nvidia.com/" + source.name(),
        body(version),
        "ClusterPolicy %s: spec.driver.version is %s; it was %s"
            .formatted(source.name(), version, source.version()),
        effect(source),
        patch(source.name(), source.version()));
  }

  private static String effect(DriverSource source) {
    String how =
        source.unattended().isEmpty()
            ? "Nodes that have the new driver get the former one, in turn: kubectl gpu rollout status -w."
            : RolloutWords.unattended(source.title(), source.unattended());
    return how
        + " Where Helm or a GitOps tool writes the ClusterPolicy, set driver.version there too, or the new version comes back.";
  }

  private static String body(String version) {
    return "{\"spec\":{\"driver\":{\"version\":\"%s\"}}}".formatted(version);
  }

  private static String patch(String policy, String version) {
    return "kubectl patch clusterpolicy %s --type=merge -p '%s'"
        .formatted(ObjectNames.isName(policy) ? policy : "NAME", body(version));
  }
}
