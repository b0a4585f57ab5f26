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
import picocli.CommandLine.Spec;

@Command(
    name = "plan",
    abbreviateSynopsis = true,
    description = "Changes nothing and shows what apply would do.")
final class MigPlanCommand implements Callable<Integer> {
  private final NvmlUse use;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin MigNodeOptions node = new MigNodeOptions();
  @Mixin MigFileOptions file = new MigFileOptions();

  MigPlanCommand(NvmlUse use) {
    this.use = use;
  }

  @Override
  public Integer call() {
    var entries = file.entries(spec.commandLine().getErr());
    if (entries.isEmpty()) {
      return PitcrewCommand.FAILED;
    }
    var wish = new WantedLayout(entries.get(), file.isModeOnly);
    return switch (node.read(use)) {
      case Answer.Value<List<MigGpu>>(var gpus) -> show(wish, gpus);
      case Answer<List<MigGpu>> none -> fail(none.reason());
    };
  }

  private int show(WantedLayout wish, List<MigGpu> gpus) {
    List<String> refusals = wish.refusals(new MigNode(gpus, List.of()));
    if (!refusals.isEmpty()) {
      return fail(String.join("; ", refusals));
    }
    spec.commandLine().getOut().print(MigPlanText.of(wish, gpus));
    spec.commandLine().getOut().flush();
    return PitcrewCommand.DONE;
  }

  private int fail(String why) {
    spec.commandLine().getErr().println(why);
    return PitcrewCommand.FAILED;
  }
}
