package dev.pitcrew.operator.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "cleanup",
    description = {
      "Deletes all custom resources before an uninstall.",
      "These are every ClusterPolicy, NVIDIADriver, GPUCluster, FleetPolicy and GPUNode. It waits until they and their"
          + " DaemonSets are gone, and takes labels, taints and the cordons of driver upgrades off the nodes. It"
          + " needs no operator that runs."
    },
    footer = {"", "Environment:", "  OPERATOR_NAMESPACE   where the operands live (required)"})
final class CleanupCommand implements Callable<Integer> {
  private final CleanupProgram program;
  private final Environment environment;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin KubeconfigFlag kubeconfig = new KubeconfigFlag();

  @Option(
      names = "--timeout",
      paramLabel = "<duration>",
      defaultValue = "5m",
      converter = GoDuration.class,
      description =
          "How long to wait until all of them are gone (default: ${DEFAULT-VALUE}). Nodes have what is left of it, and at"
              + " least a fifth of it.")
  Duration timeout = Duration.ZERO;

  @Option(
      names = "--delete-crds",
      description = "Delete the custom resource definitions too, once nothing else is left.")
  boolean deleteDefinitions;

  CleanupCommand(CleanupProgram program, Environment environment) {
    this.program = program;
    this.environment = environment;
  }

  @Override
  public Integer call() {
    String namespace = environment.operatorNamespace().orElse("");
    if (namespace.isEmpty()) {
      spec.commandLine()
          .getErr()
          .println(
              "OPERATOR_NAMESPACE is not set: set it to the namespace that the operator runs in.");
      return PitcrewCommand.FAILED;
    }
    return program.run(new CleanupOptions(namespace, kubeconfig.path, timeout, deleteDefinitions));
  }
}
