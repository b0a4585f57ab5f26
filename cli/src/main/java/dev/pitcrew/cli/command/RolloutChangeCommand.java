package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.ObjectNames;
import dev.pitcrew.cli.cluster.RolloutReading;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/// `rollout pause` and `rollout resume`: the field `spec.rollout.paused` of the FleetPolicy.
abstract class RolloutChangeCommand extends WritingCommand {
  RolloutChangeCommand(Session session) {
    super(session);
  }

  /// The FleetPolicy that counts.
  final Json fleetPolicy() {
    Optional<Json> policy = new RolloutReading(cluster()).fleetPolicy();
    return policy
        .filter(it -> ObjectNames.isName(it.at("metadata", "name").text()))
        .orElseThrow(() ->
            Names.wrong(
                "there is no FleetPolicy, whose spec.rollout.paused pauses a roll-out: the chart makes it with fleetPolicy.deploy=true"));
  }

  final int write(String name, boolean paused, String effect) {
    return write(
        "fleetpolicies.pitcrew.dev/" + name,
        "{\"spec\":{\"rollout\":{\"paused\":%s}}}".formatted(paused),
        "FleetPolicy %s: spec.rollout.paused is %s".formatted(name, paused),
        effect,
        paused ? "kubectl gpu rollout resume" : "kubectl gpu rollout pause");
  }

  @Command(
      name = "pause",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Lets no further node begin. Nodes that are under way are finished.",
        "Sets spec.rollout.paused of the FleetPolicy."
      },
      footer = {"", "Examples:", "  kubectl gpu rollout pause"})
  static final class Pause extends RolloutChangeCommand {
    Pause(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      Json policy = fleetPolicy();
      String name = policy.at("metadata", "name").text();
      if (policy.at("spec", "rollout", "paused").isTrue()) {
        return already("The roll-out is paused already: no further node begins.");
      }
      List<String> underWay =
          cluster().gpuNodesIfAny().get().orElse(List.of()).stream()
              .filter(it -> it.rollout().isUnderWay())
              .map(GpuNode::name)
              .sorted()
              .toList();
      return write(name, true, effect(underWay) + section(policy, name));
    }

    private static String effect(List<String> underWay) {
      return "No further node begins."
          + (underWay.isEmpty()
              ? ""
              : " %d under way are finished: %s.".formatted(underWay.size(), Words.some(underWay)));
    }

    /// The section itself has an effect, by its defaults.
    private static String section(Json policy, String name) {
      return policy.at("spec", "rollout").isEmpty()
          ? """
           The FleetPolicy had no section spec.rollout. With one, images are pulled before a node begins (preflight) and a node that fails halts \
          the roll-out (haltOnFailedHealth), also after kubectl gpu rollout resume; to take the whole section away: \
          kubectl patch fleetpolicy %s --type=merge -p '{"spec":{"rollout":null}}'\
          """
              .formatted(name)
          : "";
    }
  }

  @Command(
      name = "resume",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Lets nodes begin again after a pause.",
        "Clears spec.rollout.paused of the FleetPolicy. A roll-out that is halted, since nodes failed, stays so."
      },
      footer = {"", "Examples:", "  kubectl gpu rollout resume"})
  static final class Resume extends RolloutChangeCommand {
    Resume(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      Json policy = fleetPolicy();
      return policy.at("spec", "rollout", "paused").isTrue()
          ? write(
              policy.at("metadata", "name").text(),
              false,
              "Nodes begin again, in their order: kubectl gpu rollout status -w")
          : already("The roll-out is not paused.");
    }
  }
}
