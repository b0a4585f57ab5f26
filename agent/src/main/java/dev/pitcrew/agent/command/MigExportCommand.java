package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.config.ExportedConfig;
import dev.pitcrew.agent.mig.config.MigConfig;
import dev.pitcrew.agent.mig.config.MigConfigText.SingleFilter;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "export",
    abbreviateSynopsis = true,
    description = "Writes how the GPUs are divided as a configuration file.")
final class MigExportCommand implements Callable<Integer> {
  private final NvmlUse use;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();
  @Mixin MigFormat format = new MigFormat();

  @Option(
      names = {"-l", "--config-label"},
      paramLabel = "<label>",
      defaultValue = "${env:MIG_PARTED_CONFIG_LABEL:-current}",
      description = "The label (MIG_PARTED_CONFIG_LABEL; default: current).")
  String label = "current";

  MigExportCommand(NvmlUse use) {
    this.use = use;
  }

  @Override
  public Integer call() {
    if (format.problem().isPresent()) {
      return fail(format.problem().get());
    }
    return switch (node.read(use)) {
      case Answer.Value<List<MigGpu>>(var gpus) -> write(ExportedConfig.of(gpus, label));
      case Answer<List<MigGpu>> none -> fail(none.reason());
    };
  }

  private int write(MigConfig config) {
    spec.commandLine().getOut().print(format.text(config, SingleFilter.TEXT));
    spec.commandLine().getOut().flush();
    return PitcrewCommand.DONE;
  }

  private int fail(String why) {
    spec.commandLine().getErr().println("Error exporting MIG configuration: " + why);
    return PitcrewCommand.FAILED;
  }
}
