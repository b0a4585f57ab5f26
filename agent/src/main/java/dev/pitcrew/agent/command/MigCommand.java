package dev.pitcrew.agent.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "mig",
    description = {
      "Divides the GPUs of this node into MIG devices, without a cluster.",
      "A GPU that is already divided as specified is never touched; a change that fails is rolled back."
    },
    synopsisSubcommandLabel = "COMMAND")
final class MigCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-d", "--debug"},
      hidden = true,
      description = "A flag of NVIDIA's nvidia-mig-parted; causes are always reported here.")
  boolean isDebug;

  static CommandLine in(Surroundings surroundings) {
    return new CommandLine(new MigCommand())
        .addSubcommand(new MigPlanCommand(surroundings.use()))
        .addSubcommand(new MigApplyCommand(surroundings))
        .addSubcommand(new MigAssertCommand(surroundings.use()))
        .addSubcommand(new MigExportCommand(surroundings.use()))
        .addSubcommand(new MigGenerateCommand())
        .addSubcommand(new MigCheckpointCommand())
        .addSubcommand(new MigRestoreCommand(surroundings));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
