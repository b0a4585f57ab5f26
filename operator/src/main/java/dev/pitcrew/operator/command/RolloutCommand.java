package dev.pitcrew.operator.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "rollout",
    description = {
      "Shows how a new driver reaches the nodes.",
      "Both sub-commands only read: they need get, list and watch, and change nothing."
    },
    synopsisSubcommandLabel = "(plan | status)")
final class RolloutCommand {
  private final RolloutProgram program;
  private final Environment environment;

  RolloutCommand(RolloutProgram program, Environment environment) {
    this.program = program;
    this.environment = environment;
  }

  @Command(
      name = "plan",
      description = {
        "Prints what a roll-out would do, node by node, without doing it (a dry run).",
        "Which nodes begin together, who waits for a canary, a wave, a window or the budget, and whose pods would not leave."
            + " It is the operator's own plan, played forward with every node succeeding at once."
      },
      footer = {
        "",
        "Examples:",
        "  pitcrew rollout plan                       # the driver that the cluster asks for now",
        "  pitcrew rollout plan --version 600.10.01   # what if this version was asked for",
        "  pitcrew rollout plan --nvidia-driver training --version 600.10.01",
        "  kubectl -n gpu-operator exec deploy/gpu-operator -- pitcrew rollout plan -o json",
        "",
        "Environment:",
        "  OPERATOR_NAMESPACE   where the operator lives (default: gpu-operator)"
      })
  int plan(
      @Mixin RolloutFlags flags,
      @Option(
              names = "--version",
              paramLabel = "<version>",
              defaultValue = "",
              description =
                  "Plan for this driver version (default: what the driver DaemonSets have now).")
          String version) {
    return program.plan(flags.options(environment, version, false));
  }

  @Command(
      name = "status",
      description = {
        "Prints how far the nodes are, what each waits for and what comes next.",
        "Exit code 1 says that the roll-out is halted, or that nodes failed and none is under way."
      },
      footer = {
        "",
        "Examples:",
        "  pitcrew rollout status",
        "  pitcrew rollout status --watch    # prints what changes, until all nodes are done",
        "",
        "Environment:",
        "  OPERATOR_NAMESPACE   where the operator lives (default: gpu-operator)"
      })
  int status(
      @Mixin RolloutFlags flags,
      @Option(
              names = {"-w", "--watch"},
              description =
                  "Print each change until the roll-out is over: exit code 0 if all nodes are done, 1 if it stopped.")
          boolean watch) {
    return program.status(flags.options(environment, "", watch));
  }

  /// How to print.
  enum Output {
    table,
    json
  }

  /// What both sub-commands take.
  static final class RolloutFlags {
    @Mixin KubeconfigFlag kubeconfig = new KubeconfigFlag();

    @Option(
        names = {"-n", "--namespace"},
        paramLabel = "<namespace>",
        defaultValue = "",
        description = "Where the operator and its operands live.")
    String namespace = "";

    @Option(
        names = {"-o", "--output"},
        paramLabel = "<table|json>",
        defaultValue = "table",
        description = "A table for people, or JSON (default: ${DEFAULT-VALUE}).")
    Output output = Output.table;

    @Option(
        names = "--nvidia-driver",
        paramLabel = "<name>",
        defaultValue = "",
        description = "Look at the nodes of this NVIDIADriver alone (default: all of them).")
    String driver = "";

    RolloutOptions options(Environment environment, String version, boolean watch) {
      String place =
          namespace.isEmpty() ? environment.operatorNamespace().orElse("gpu-operator") : namespace;
      return new RolloutOptions(
          place, kubeconfig.path, driver, version, output == Output.json, watch);
    }
  }
}
