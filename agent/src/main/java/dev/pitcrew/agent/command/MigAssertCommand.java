package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.plan.WantedLayout;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
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
    name = "assert",
    abbreviateSynopsis = true,
    description =
        "Reports by its exit code whether the GPUs are divided as a label of the file specifies.")
final class MigAssertCommand implements Callable<Integer> {
  private static final String FAILURE =
      "Assertion failure: selected configuration not currently applied";

  private final NvmlUse use;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();
  @Mixin MigFileOptions file = new MigFileOptions();

  @Option(
      names = {"-a", "--valid-config"},
      defaultValue = "${env:MIG_PARTED_VALID_CONFIG:-false}",
      fallbackValue = "true",
      arity = "0..1",
      description = "Only whether the file is valid and has the label (MIG_PARTED_VALID_CONFIG).")
  boolean isOnlyValidity;

  MigAssertCommand(NvmlUse use) {
    this.use = use;
  }

  @Override
  public Integer call() {
    var entries = file.entries(spec.commandLine().getErr());
    if (entries.isEmpty()) {
      return PitcrewCommand.FAILED;
    }
    if (isOnlyValidity) {
      return hold("Selected MIG configuration is valid");
    }
    var wish = new WantedLayout(entries.get(), file.isModeOnly);
    return switch (node.read(use)) {
      case Answer.Value<List<MigGpu>>(var gpus) -> judge(wish, gpus);
      case Answer<List<MigGpu>> none -> fail(none.reason());
    };
  }

  private int judge(WantedLayout wish, List<MigGpu> gpus) {
    if (wish.isMet(gpus)) {
      return hold(
          file.isModeOnly
              ? "Selected MIG mode settings from configuration currently applied"
              : "Selected MIG configuration currently applied");
    }
    List<String> refusals = wish.refusals(new MigNode(gpus, List.of()));
    return fail(String.join("; ", refusals.isEmpty() ? wish.differences(gpus) : refusals));
  }

  private int hold(String what) {
    spec.commandLine().getOut().println(what);
    return PitcrewCommand.DONE;
  }

  private int fail(String why) {
    spec.commandLine().getErr().println(FAILURE + ": " + why);
    return PitcrewCommand.FAILED;
  }
}
