package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.config.GeneratedConfig;
import dev.pitcrew.agent.mig.config.GeneratedConfig.Generated;
import dev.pitcrew.agent.mig.config.MigConfig;
import dev.pitcrew.agent.mig.config.MigConfigText.SingleFilter;
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
    name = "generate-config",
    abbreviateSynopsis = true,
    description =
        "Writes a configuration file with all layouts that the GPUs of this node can have.")
final class MigGenerateCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();
  @Mixin MigFormat format = new MigFormat();

  @Option(
      names = {"-f", "--output-file"},
      paramLabel = "<file>",
      defaultValue = "${env:MIG_PARTED_OUTPUT_FILE:-}",
      description = "Where to (MIG_PARTED_OUTPUT_FILE; default: standard output).")
  String file = "";

  @Override
  public Integer call() throws IOException {
    if (format.problem().isPresent()) {
      return fail(format.problem().get());
    }
    return switch (node.read()) {
      case Answer.Value<List<MigGpu>>(var gpus) ->
          switch (GeneratedConfig.of(gpus)) {
            case Generated.Made(var config, var isStandard) -> {
              if (isStandard) {
                spec.commandLine()
                    .getErr()
                    .println(
                        "The driver lists no MIG profiles while MIG mode is off: these are the standard layouts of all boards.");
              }
              yield write(config);
            }
            case Generated.None(var reason) -> fail(reason);
          };
      case Answer<List<MigGpu>> none -> fail(none.reason());
    };
  }

  private int write(MigConfig config) throws IOException {
    Output.write(file, format.text(config, SingleFilter.LIST), spec.commandLine().getOut());
    return PitcrewCommand.DONE;
  }

  private int fail(String why) {
    spec.commandLine().getErr().println("Error generating MIG configuration: " + why);
    return PitcrewCommand.FAILED;
  }
}
