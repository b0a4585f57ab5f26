package dev.pitcrew.agent.command;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.mig.change.ChangeHooks;
import dev.pitcrew.agent.mig.change.ChangeOutcome;
import dev.pitcrew.agent.mig.config.Hooks;
import dev.pitcrew.agent.mig.config.Hooks.Command;
import dev.pitcrew.agent.mig.config.Hooks.Moment;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Runs the programs of a hooks file. They inherit nothing: each has the variables that the file
/// gives it and those of the tool's flags, as with `nvidia-mig-parted`.
///
/// @param flags values of the tool's flags, by their variables
/// @param limit for one program
record MigHooks(Hooks.Named hooks, Map<String, String> flags, Duration limit)
    implements ChangeHooks {

  /// Runs a change between the hooks of its start and its end. Those of the end run whatever became
  /// of the change, and count only where all else went well.
  ///
  /// @return why it did not succeed
  Optional<String> around(Supplier<ChangeOutcome> change, PrintWriter errors) {
    Optional<String> unstarted = run(Moment.START);
    if (unstarted.isPresent()) {
      return Optional.of(new ChangeOutcome.Refused(unstarted.get()).text());
    }
    ChangeOutcome outcome = change.get();
    Optional<String> unended = run(Moment.END);
    if (outcome instanceof ChangeOutcome.Done) {
      return unended.map(why -> why + "; the GPUs are as they are wanted");
    }
    unended.ifPresent(errors::println);
    return Optional.of(outcome.text());
  }

  @Override
  public Optional<String> run(Moment moment) {
    return hooks.at(moment).stream()
        .flatMap(command -> failure(moment, command).stream())
        .findFirst();
  }

  private Optional<String> failure(Moment moment, Command command) {
    List<String> words =
        Stream.concat(Stream.of(command.program()), command.arguments().stream()).toList();
    var program = new ProcessBuilder(words);
    program.environment().clear();
    program.environment().putAll(command.environment());
    program.environment().putAll(flags);
    if (!command.folder().isEmpty()) {
      program.directory(Path.of(command.folder()).toFile());
    }
    try {
      HostShell.Said said = HostShell.run(limit, program);
      return said.isGood()
          ? Optional.empty()
          : Optional.of(
              "hook %s: %s: %s"
                  .formatted(moment.hook(), String.join(" ", words), said.lastOutput()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("hook %s: interrupted".formatted(moment.hook()));
    }
  }
}
