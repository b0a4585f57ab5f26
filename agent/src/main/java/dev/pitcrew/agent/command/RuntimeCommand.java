package dev.pitcrew.agent.command;

import dev.pitcrew.agent.runtime.RuntimePlace;
import dev.pitcrew.agent.runtime.RuntimeSetup;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.agent.runtime.plan.RuntimePlan;
import dev.pitcrew.agent.runtime.plan.WantedRuntime;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "runtime",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Configures the container runtime of this node for pods with GPUs, or undoes that.",
      "plan changes nothing and shows what apply would write; apply writes it, has the runtime judge it and restarts the runtime only where bytes differ; undo gives the runtime its former files."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the runtime is as it was asked for, or the plan was shown",
      "1:it is not; the reason is on standard error",
      "2:wrong usage"
    })
final class RuntimeCommand implements Callable<Integer> {
  enum Action {
    PLAN,
    APPLY,
    UNDO;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "plan|apply|undo", description = "What to do.")
  Action action = Action.PLAN;

  @Mixin NodeOptions node = new NodeOptions();
  @Mixin RuntimeFlags flags = new RuntimeFlags();

  @Override
  public Integer call() throws IOException, InterruptedException {
    var host = new HostRoot(node.hostRoot);
    Optional<RuntimePlace> place = flags.place(host);
    if (place.isEmpty()) {
      return failed(
          "no container runtime answers where containerd, CRI-O and Docker usually do: name it by --runtime");
    }
    RuntimeSetup setup =
        RuntimeSetup.of(place.get(), host, new StateFolder(Path.of(flags.stateFolder)));
    WantedRuntime wanted = new WantedRuntime(flags.handlers, flags.cdi, true);
    return switch (action) {
      case PLAN -> show(flags.undoes ? setup.undoPlan() : setup.plan(wanted));
      case APPLY -> print(setup.apply(wanted), Phase.READY);
      case UNDO -> print(setup.undo(), Phase.UNDONE);
    };
  }

  private int show(RuntimePlan plan) {
    if (plan instanceof RuntimePlan.Refused(var problem)) {
      return failed(problem.message());
    }
    spec.commandLine().getOut().print(RuntimeText.of(plan));
    spec.commandLine().getOut().flush();
    return PitcrewCommand.DONE;
  }

  private int print(RuntimeState state, Phase wanted) {
    if (state.phase() != wanted) {
      return failed(state.message());
    }
    spec.commandLine().getOut().println(state.message());
    return PitcrewCommand.DONE;
  }

  private int failed(String why) {
    spec.commandLine().getErr().println(why);
    return PitcrewCommand.FAILED;
  }

  /// The handlers of the operator's RuntimeClasses.
  static final List<String> HANDLERS = List.of("nvidia", "nvidia-cdi", "nvidia-legacy");
}
