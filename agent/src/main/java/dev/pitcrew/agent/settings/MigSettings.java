package dev.pitcrew.agent.settings;

import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.clusterpolicy.MigConfigSpec;
import dev.pitcrew.api.clusterpolicy.MigManagerSpec;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.api.node.MigBusy;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// How the GPUs of nodes are divided.
///
/// @param configMap with the layouts by name, in the operator's namespace; empty where those count
///   that the boards of a node can have
/// @param byDefault the layout of a node whose label names none; an empty text leaves it alone
/// @param busy what is done about pods that are in the way
public record MigSettings(Optional<String> configMap, String byDefault, MigBusy busy) {
  public static final MigSettings NONE = new MigSettings(Optional.empty(), "", MigBusy.WAIT);

  /// The reference's own layouts, which it would make on its own. Ours are those of the boards.
  private static final String REFERENCE_LAYOUTS = "default-mig-parted-config";

  private static final String REBOOTS = "WITH_REBOOT";

  static MigSettings of(AgentDocument document) {
    MigConfigSpec config = document.clusterPolicy().migManager().config();
    return new MigSettings(
        config.reference().filter(name -> !name.equals(REFERENCE_LAYOUTS)),
        config.defaultNameOrDefault(),
        document.mig().busyOrDefault());
  }

  /// What is said and has no effect.
  static List<SettingsProblem> problems(MigManagerSpec manager) {
    return manager.env().stream()
        .filter(variable -> !isHarmless(variable))
        .map(variable ->
            Mistake.inPolicy(
                    "migManager.env[%s]".formatted(variable.name()),
                    variable.valueOrDefault(),
                    remedy(variable.name()))
                .with(new SettingsProblem.Consequence.NoEffect(), Set.of(NodeFunction.MIG)))
        .toList();
  }

  private static boolean isHarmless(EnvVar variable) {
    return variable.name().equals(REBOOTS) && !variable.valueOrDefault().equals("true");
  }

  private static String remedy(String variable) {
    return variable.equals(REBOOTS)
        ? "the agent reboots no node, it resets GPUs; drain and reboot the node where it says that it cannot"
        : "the agent has no such variable; remove it";
  }
}
