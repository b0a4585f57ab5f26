package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.plan.WantedLayout;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "apply",
    abbreviateSynopsis = true,
    description =
        "Divides the GPUs as a label of the file specifies. If a change fails, it is rolled back.")
final class MigApplyCommand implements Callable<Integer> {
  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();
  @Mixin MigFileOptions file = new MigFileOptions();
  @Mixin MigChangeFlags change = new MigChangeFlags();

  MigApplyCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() {
    var errors = spec.commandLine().getErr();
    var entries = file.entries(errors);
    if (entries.isEmpty()) {
      return PitcrewCommand.FAILED;
    }
    var wish = new WantedLayout(entries.get(), file.isModeOnly);
    Optional<String> failure =
        change.run(node, wish, file.variables(), surroundings.clock(), errors);
    if (failure.isPresent()) {
      errors.println("Error applying MIG configuration: " + failure.get());
      return PitcrewCommand.FAILED;
    }
    spec.commandLine().getOut().println("MIG configuration applied successfully");
    return PitcrewCommand.DONE;
  }
}
