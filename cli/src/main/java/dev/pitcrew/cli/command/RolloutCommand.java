package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.RolloutReading;
import dev.pitcrew.cli.plan.RolloutForecast;
import dev.pitcrew.cli.print.RolloutPrint;
import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "rollout",
    versionProvider = GpuCommand.Build.class,
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Shows how a new driver reaches the nodes, and steers it.",
      "pause, resume, retry, skip and undo write one field, say which, and how to take it back."
    })
final class RolloutCommand {
  private RolloutCommand() {}

  static CommandLine of(Session session) {
    return new CommandLine(new RolloutCommand())
        .addSubcommand(new RolloutStatusCommand(session))
        .addSubcommand(new Plan(session))
        .addSubcommand(new RolloutChangeCommand.Pause(session))
        .addSubcommand(new RolloutChangeCommand.Resume(session))
        .addSubcommand(new RolloutNodeCommand.Retry(session))
        .addSubcommand(new RolloutNodeCommand.Skip(session))
        .addSubcommand(new RolloutUndoCommand(session));
  }

  @Command(
      name = "plan",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Shows what a roll-out would do, node by node, without doing it.",
        "It is the operator's own plan, played forward by its program in its pod: pitcrew rollout plan."
      },
      footer = {
        "",
        "Examples:",
        "  kubectl gpu rollout plan                       # the driver that the cluster asks for now",
        "  kubectl gpu rollout plan --driver-version 600.10.01   # what if this version was asked for"
      })
  private static final class Plan extends ReadingCommand {
    private static final String OPERATOR = "gpu-operator";

    /// The operator's program reads the whole cluster first.
    private static final Duration LEAST = Duration.ofSeconds(90);

    @Option(
        names = "--driver-version",
        paramLabel = "<version>",
        defaultValue = "",
        description = "Plan for this driver version (default: what the cluster asks for now).")
    String version = "";

    @Option(
        names = "--nvidia-driver",
        paramLabel = "<name>",
        defaultValue = "",
        description = "Look at the nodes of this NVIDIADriver alone (default: all of them).")
    String driver = "";

    @Option(
        names = {"-n", "--namespace"},
        paramLabel = "<name>",
        defaultValue = "",
        description = "Namespace of the operator (default: where its Deployment is).")
    String namespace = "";

    Plan(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      if (!driver.isEmpty()) {
        Names.require("NVIDIADriver", driver);
      }
      String place = namespace.isEmpty() ? found() : Names.require("namespace", namespace);
      Kubectl.Said said =
          connection
              .kubectl(session, LEAST)
              .say(place, "deployment/" + OPERATOR, OPERATOR, program());
      List<RolloutForecast> plans =
          Json.read(said.out()).items().stream().map(RolloutForecast::of).toList();
      said.err().lines().filter(it -> !it.isBlank()).forEach(this::warn);
      output.print(
          session,
          plans,
          plans.stream().flatMap(it -> it.plan().stream()).map(it -> "node/" + it.node()).toList(),
          screen -> plans.forEach(it -> RolloutPrint.plan(screen, it, output.isWide())));
      return ExitCodes.OK;
    }

    private List<String> program() {
      var program = new ArrayList<>(List.of("pitcrew", "rollout", "plan", "--output=json"));
      if (!version.isEmpty()) {
        program.add("--version=" + version);
      }
      if (!driver.isEmpty()) {
        program.add("--nvidia-driver=" + driver);
      }
      return program;
    }

    private String found() {
      List<String> places = new RolloutReading(cluster()).operators();
      if (places.size() == 1) {
        return places.getFirst();
      }
      throw places.isEmpty()
          ? new RefusedException(
              new Refusal(
                  Refusal.Kind.NOT_FOUND,
                  "there is no Deployment gpu-operator of Pitcrew, whose program makes the plan: install it as its page docs/install.md says"))
          : Names.wrong(
              "the Deployment gpu-operator is in several namespaces, choose one: -n "
                  + String.join(" or -n ", places));
    }
  }
}
