package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.change.Checkpoint;
import dev.pitcrew.agent.mig.change.CheckpointText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "restore",
    abbreviateSynopsis = true,
    description = "Divides the GPUs as a checkpoint says, each MIG device at its place.")
final class MigRestoreCommand implements Callable<Integer> {
  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();
  @Mixin MigChangeFlags change = new MigChangeFlags();

  @Option(
      names = {"-f", "--checkpoint-file"},
      paramLabel = "<file>",
      defaultValue = "${env:MIG_PARTED_CHECKPOINT_FILE:-}",
      description = "The file (MIG_PARTED_CHECKPOINT_FILE).")
  String file = "";

  @Option(
      names = {"-m", "--mode-only"},
      defaultValue = "${env:MIG_PARTED_MODE_CHANGE_ONLY:-false}",
      fallbackValue = "true",
      arity = "0..1",
      description = "Only the MIG mode, not the MIG devices (MIG_PARTED_MODE_CHANGE_ONLY).")
  boolean isModeOnly;

  MigRestoreCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    if (file.isEmpty()) {
      return fail("missing required flags 'checkpoint-file'");
    }
    Optional<Checkpoint> kept = CheckpointText.parse(Files.readString(Path.of(file)));
    if (kept.isEmpty()) {
      return fail(file + " is no checkpoint of version v1");
    }
    var wish = new Checkpoint(kept.get().devices(), isModeOnly);
    Map<String, String> flags =
        Map.of(
            "MIG_PARTED_CHECKPOINT_FILE",
            file,
            "MIG_PARTED_MODE_CHANGE_ONLY",
            Boolean.toString(isModeOnly));
    Optional<String> failure =
        change.run(node, wish, flags, surroundings.clock(), spec.commandLine().getErr());
    if (failure.isPresent()) {
      return fail(failure.get());
    }
    spec.commandLine().getOut().println("MIG configuration restored successfully");
    return PitcrewCommand.DONE;
  }

  private int fail(String why) {
    spec.commandLine().getErr().println("Error restoring MIG configuration: " + why);
    return PitcrewCommand.FAILED;
  }
}
