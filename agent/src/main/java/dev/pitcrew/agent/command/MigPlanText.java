package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.LayoutText;
import dev.pitcrew.agent.mig.plan.Step;
import dev.pitcrew.agent.mig.plan.WantedLayout;
import dev.pitcrew.device.mig.MigGpu;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What would be done, for a person: each GPU before and after, then the steps.
final class MigPlanText {
  private static final String ROW = "%-4s %-42s %-42s %s%n";

  private MigPlanText() {}

  static String of(WantedLayout wish, List<MigGpu> gpus) {
    var text = new StringBuilder(ROW.formatted("GPU", "BEFORE", "AFTER", "STEPS"));
    for (MigGpu gpu : gpus) {
      text.append(row(wish, gpu));
    }
    List<GpuPlan.Steps> plans = wish.steps(gpus);
    plans.forEach(plan -> text.append(steps(plan)));
    return plans.isEmpty() ? text.append("Nothing is to be done.\n").toString() : text.toString();
  }

  private static String row(WantedLayout wish, MigGpu gpu) {
    String before = LayoutText.of(gpu.division());
    Optional<GpuPlan> plan = wish.plan(gpu);
    String after = plan.isEmpty() ? before : wish.after(gpu);
    int count =
        plan.isPresent() && plan.get() instanceof GpuPlan.Steps steps ? steps.steps().size() : 0;
    return ROW.formatted(gpu.index(), before, after, count == 0 ? "-" : count);
  }

  private static String steps(GpuPlan.Steps plan) {
    String lines =
        plan.steps().stream()
            .map(Step::text)
            .map("  %s%n"::formatted)
            .collect(Collectors.joining());
    String inTheWay =
        plan.processesInTheWay().isEmpty()
            ? ""
            : "  in the way: processes %s%n".formatted(plan.processesInTheWay());
    return "GPU %d:%n".formatted(plan.gpu().index()) + lines + inTheWay;
  }
}
