package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.change.Checkpoint;
import dev.pitcrew.agent.mig.change.CheckpointText;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.hardware.nvml.Answer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "checkpoint",
    abbreviateSynopsis = true,
    description = "Keeps in a file how the GPUs are divided, each MIG device with its place.")
final class MigCheckpointCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();

  @Option(
      names = {"-f", "--checkpoint-file"},
      paramLabel = "<file>",
      defaultValue = "${env:MIG_PARTED_CHECKPOINT_FILE:-}",
      description = "The file (MIG_PARTED_CHECKPOINT_FILE).")
  String file = "";

  @Override
  public Integer call() throws IOException {
    if (file.isEmpty()) {
      return fail("missing required flags 'checkpoint-file'");
    }
    return switch (node.read()) {
      case Answer.Value<List<MigGpu>>(var gpus) -> keep(gpus);
      case Answer<List<MigGpu>> none -> fail(none.reason());
    };
  }

  private int keep(List<MigGpu> gpus) throws IOException {
    Output.write(file, CheckpointText.of(Checkpoint.of(gpus)), spec.commandLine().getOut());
    spec.commandLine().getOut().println("MIG configuration checkpointed successfully");
    return PitcrewCommand.DONE;
  }

  private int fail(String why) {
    spec.commandLine().getErr().println("Error checkpointing MIG configuration: " + why);
    return PitcrewCommand.FAILED;
  }
}
