package dev.pitcrew.agent.settings;

import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.clusterpolicy.MigConfigSpec;
import dev.pitcrew.api.clusterpolicy.MigManagerSpec;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.core.text.GoText;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// How the GPUs of nodes are divided.
///
/// @param configMap with the layouts by name, in the operator's namespace; empty where those count
///   that the boards of a node can have
/// @param clients the ConfigMap that names the services of the host to stop meanwhile, in the
///   operator's namespace; empty where they are the usual ones
/// @param byDefault the layout of a node whose label names none; an empty text leaves it alone
/// @param busy what is done about pods that are in the way
/// @param reboots whether the node may be rebooted for a MIG mode that no reset brings into force
public record MigSettings(
    Optional<String> configMap,
    Optional<String> clients,
    String byDefault,
    MigBusy busy,
    boolean reboots) {
  public static final MigSettings NONE =
      new MigSettings(Optional.empty(), Optional.empty(), "", MigBusy.WAIT, false);

  /// The layouts that NVIDIA's MIG manager generates by default. Ours are those of the boards.
  private static final String REFERENCE_LAYOUTS = "default-mig-parted-config";

  /// Its own list of services that have GPUs open, which is ours too.
  private static final String REFERENCE_CLIENTS = "default-gpu-clients";

  private static final String REBOOTS = "WITH_REBOOT";

  /// As Go's `strconv.ParseBool` has them, by which NVIDIA's MIG manager reads it.

  static MigSettings of(AgentDocument document) {
    MigConfigSpec config = document.clusterPolicy().migManager().config();
    return new MigSettings(
        config.reference().filter(name -> !name.equals(REFERENCE_LAYOUTS)),
        document
            .clusterPolicy()
            .migManager()
            .gpuClientsConfig()
            .reference()
            .filter(name -> !name.equals(REFERENCE_CLIENTS)),
        config.defaultNameOrDefault(),
        document.mig().busyOrDefault(),
        reboots(document.clusterPolicy().migManager()));
  }

  private static boolean reboots(MigManagerSpec manager) {
    return manager.env().stream()
        .filter(variable -> variable.name().equals(REBOOTS))
        .anyMatch(variable -> GoText.bool(variable.valueOrDefault()).orElse(false));
  }

  /// What is said and has no effect.
  static List<SettingsProblem> problems(MigManagerSpec manager) {
    return manager.env().stream()
        .filter(variable -> !hasEffect(variable))
        .map(variable ->
            SettingError.inPolicy(
                    "migManager.env[%s]".formatted(variable.name()),
                    variable.valueOrDefault(),
                    remedy(variable.name()))
                .with(new SettingsProblem.Consequence.NoEffect(), Set.of(NodeFunction.MIG)))
        .toList();
  }

  private static boolean hasEffect(EnvVar variable) {
    String value = variable.valueOrDefault();
    return variable.name().equals(REBOOTS) && (value.isEmpty() || GoText.bool(value).isPresent());
  }

  private static String remedy(String variable) {
    return variable.equals(REBOOTS)
        ? "must be true or false; the node is not rebooted"
        : "the agent has no such variable; remove it";
  }
}
