package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.change.BusyPolicy;
import dev.pitcrew.agent.mig.change.ChangeHooks;
import dev.pitcrew.agent.mig.change.ChangeOptions;
import dev.pitcrew.agent.mig.change.ChangeOutcome;
import dev.pitcrew.agent.mig.change.GpuAccess;
import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.mig.change.MigChange;
import dev.pitcrew.agent.mig.config.Hooks;
import dev.pitcrew.agent.mig.config.HooksParser;
import dev.pitcrew.agent.mig.plan.DesiredLayout;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/// How a change of the MIG devices is made.
final class MigChangeFlags {
  @Option(
      names = {"-s", "--skip-reset"},
      defaultValue = "${env:MIG_PARTED_SKIP_RESET:-false}",
      fallbackValue = "true",
      arity = "0..1",
      description = "Leave a MIG mode waiting for a reset (MIG_PARTED_SKIP_RESET).")
  boolean skipsReset;

  @Option(
      names = {"-k", "--hooks-file"},
      paramLabel = "<file>",
      defaultValue = "${env:MIG_PARTED_HOOKS_FILE:-}",
      description = "Programs to run before and after (MIG_PARTED_HOOKS_FILE).")
  String hooksFile = "";

  @Option(
      names = "--busy",
      paramLabel = "wait|refuse",
      defaultValue = "refuse",
      description =
          "What to do where processes use what has to go: wait for them, or change nothing (default: ${DEFAULT-VALUE}).")
  String busy = "refuse";

  @Option(
      names = "--deadline-seconds",
      paramLabel = "<seconds>",
      defaultValue = "600",
      description =
          "Limit for the whole change; then it is rolled back (default: ${DEFAULT-VALUE}).")
  int deadlineSeconds = 600;

  @Option(
      names = "--state-folder",
      paramLabel = "<folder>",
      defaultValue = "",
      description = "Where the way back is kept (default: /var/lib/pitcrew below --host-root).")
  String stateFolder = "";

  /// @param flags values of further flags, by their variables, for the hooks
  /// @return why it did not succeed
  Optional<String> run(
      MigNodeOptions node,
      DesiredLayout wish,
      Map<String, String> flags,
      InstantSource clock,
      PrintWriter errors) {
    return switch (hooks()) {
      case Hooks.Rejected(var problem) ->
          Optional.of("error parsing hooks file: " + problem.text(hooksFile));
      case Hooks.Named hooks -> {
        var running = new MigHooks(hooks, variables(flags), deadline());
        yield running.around(() -> change(node, wish, running, clock, errors), errors);
      }
    };
  }

  private ChangeOutcome change(
      MigNodeOptions node,
      DesiredLayout wish,
      ChangeHooks hooks,
      InstantSource clock,
      PrintWriter errors) {
    Path folder =
        stateFolder.isEmpty()
            ? node.node.hostRoot.resolve("var/lib/pitcrew")
            : Path.of(stateFolder);
    BusyPolicy policy = busy.equals("wait") ? BusyPolicy.WAIT : BusyPolicy.REFUSE;
    try (GpuAccess access = node.access()) {
      return new MigChange(access, new Journal(folder), clock, errors::println)
          .run(wish, new ChangeOptions(skipsReset, policy, deadline()), hooks);
    }
  }

  private Duration deadline() {
    return Duration.ofSeconds(deadlineSeconds);
  }

  private Map<String, String> variables(Map<String, String> flags) {
    var variables = new HashMap<>(flags);
    variables.put("MIG_PARTED_HOOKS_FILE", hooksFile);
    variables.put("MIG_PARTED_SKIP_RESET", Boolean.toString(skipsReset));
    return variables;
  }

  private Hooks hooks() {
    if (hooksFile.isEmpty()) {
      return Hooks.NONE;
    }
    try {
      return HooksParser.parse(Files.readString(Path.of(hooksFile)));
    } catch (IOException e) {
      return HooksParser.unreadable(e);
    }
  }
}
