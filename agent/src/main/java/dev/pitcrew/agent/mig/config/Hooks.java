package dev.pitcrew.agent.mig.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Programs of the user around a change of the GPUs, as in the hooks file of NVIDIA's mig-parted.
public sealed interface Hooks {

  /// When they run. Hooks of other names are not run, as in NVIDIA's mig-parted.
  enum Moment {
    /// Before anything is looked at.
    START("apply-start"),
    /// Before a MIG mode is changed.
    BEFORE_MODE("pre-apply-mode"),
    /// Before MIG devices are changed.
    BEFORE_DEVICES("pre-apply-config"),
    /// At the end, whatever it is, once those of the start have succeeded.
    END("apply-exit");

    private final String hook;

    Moment(String hook) {
      this.hook = hook;
    }

    /// Its name in the file.
    public String hook() {
      return hook;
    }
  }

  /// One program.
  ///
  /// @param environment all that it is given, beside the flags of the tool
  /// @param folder where it runs; empty for that of the tool
  record Command(
      String program, List<String> arguments, Map<String, String> environment, String folder) {
    public Command {
      arguments = List.copyOf(arguments);
      environment = Map.copyOf(environment);
    }
  }

  /// @param commands by the name of the hook, in their order
  record Named(Map<String, List<Command>> commands) implements Hooks {
    public Named {
      commands = Map.copyOf(commands);
    }

    /// What runs at a moment.
    public List<Command> at(Moment moment) {
      return Optional.ofNullable(commands.get(moment.hook())).orElse(List.of());
    }
  }

  record Rejected(MigConfigProblem problem) implements Hooks {}

  Named NONE = new Named(Map.of());
}
