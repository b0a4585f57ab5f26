package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterFitness;
import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.HostNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Checks;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.InstallChecks;
import dev.pitcrew.cli.plan.NodeChecks;
import dev.pitcrew.cli.print.ChecksPrint;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "check",
    versionProvider = GpuCommand.Build.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Looks before something is done: at a node, or at a cluster. It changes nothing.")
final class CheckCommand {
  private CheckCommand() {}

  static CommandLine of(Session session) {
    return new CommandLine(new CheckCommand())
        .addSubcommand(new OfNode(session))
        .addSubcommand(new Install(session))
        .addSubcommand(new CheckMigrateCommand(session));
  }

  /// What has lines with ✔, ! and ✘.
  abstract static class Checking extends ReadingCommand {
    Checking(Session session) {
      super(session);
    }

    final int print(Checks checks, List<String> names) {
      output.print(session, checks, names, screen -> ChecksPrint.print(screen, checks));
      return checks.ok() ? ExitCodes.OK : ExitCodes.PROBLEM;
    }
  }

  @Command(
      name = "node",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Checks whether a pod with GPUs could start on a node now.",
        "Exit code 1 says that something keeps it from that."
      },
      footer = {"", "Examples:", "  kubectl gpu check node gpu-1"})
  private static final class OfNode extends Checking {
    @Parameters(paramLabel = "<node>", description = "Name of the node.")
    String node = "";

    OfNode(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      String name = Names.require("node", node.replaceFirst("^nodes?/", ""));
      var cluster = cluster();
      var host = cluster.object("/api/v1/nodes/" + name);
      var gpuNode = cluster.gpuNode(name);
      var agents =
          cluster.allIfAny(
              "/api/v1/pods?labelSelector=app=pitcrew-agent&fieldSelector=spec.nodeName=" + name,
              Pod::of);
      var holders = cluster.holders();
      HostNode found = HostNode.of(ofNode(cluster, name, host));
      return print(
          NodeChecks.of(found, ifAny(gpuNode), agents.get(), holders.get().map(Holdings::new)),
          List.of("node/" + name));
    }

    private static <T> T ofNode(ClusterReading cluster, String name, Supplier<T> node) {
      try {
        return node.get();
      } catch (RefusedException refused) {
        throw refused.kind() == Refusal.Kind.NOT_FOUND
            ? Names.unknown(
                "node " + name,
                name,
                cluster
                    .allIfAny("/api/v1/nodes", it -> it.at("metadata", "name").text())
                    .get()
                    .orElse(List.of()))
            : refused;
      }
    }

    private static Optional<GpuNode> ifAny(Supplier<GpuNode> node) {
      try {
        return Optional.of(node.get());
      } catch (RefusedException refused) {
        if (refused.kind() == Refusal.Kind.NOT_FOUND) {
          return Optional.empty();
        }
        throw refused;
      }
    }
  }

  @Command(
      name = "install",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Checks whether a cluster is fit for Pitcrew: versions, rights, other GPU software, nodes.",
        "Exit code 1 says that something stands in the way."
      },
      footer = {"", "Examples:", "  kubectl gpu check install -n gpu-operator"})
  private static final class Install extends Checking {
    @Option(
        names = {"-n", "--namespace"},
        paramLabel = "<name>",
        defaultValue = "gpu-operator",
        description = "Namespace to install into (default: ${DEFAULT-VALUE}).")
    String namespace = "";

    Install(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      String place = Names.require("namespace", namespace);
      var cluster = cluster();
      var fitness = new ClusterFitness(cluster, connection.kubectl(session, connection.timeout));
      String version =
          cluster.kubernetesVersion(); // of a cluster that cannot be reached, it says so
      var denied = fitness.denied(place);
      var definitions = fitness.definitions();
      var workloads = fitness.workloads();
      var admission = fitness.admissionPolicies();
      var found = fitness.namespace(place);
      var nodes = fitness.nodes();
      var enforced =
          found
              .get()
              .map(it -> it.at("metadata", "labels", "pod-security.kubernetes.io/enforce").text());
      return print(
          InstallChecks.of(
              new InstallChecks.Facts(
                  version,
                  place,
                  enforced.isPresent(),
                  enforced,
                  definitions.get(),
                  workloads.get(),
                  admission.get(),
                  denied.get(),
                  nodes.get())),
          List.of());
    }
  }
}
