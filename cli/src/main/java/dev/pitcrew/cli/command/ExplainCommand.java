package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.FailedCreation;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Chain;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.MissingPod;
import dev.pitcrew.cli.plan.NodeChain;
import dev.pitcrew.cli.plan.PodChain;
import dev.pitcrew.cli.print.ChainPrint;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "explain",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Names the one thing that keeps a pod from running or a node from being ready, and what to do.",
      "Exit code 1 says that there is such a thing."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu explain pod train-42 -n ml",
      "  kubectl gpu explain node gpu-1"
    })
final class ExplainCommand implements Callable<Integer>, ClusterCommand {
  private static final List<String> KINDS = List.of("pod", "node");

  private final Session session;

  @Mixin ConnectionFlags connection = new ConnectionFlags();
  @Mixin OutputFlags output = new OutputFlags();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "<namespace>",
      defaultValue = "",
      description = "Namespace of the pod (default: that of the context).")
  String namespace = "";

  @Parameters(
      paramLabel = "(pod|node) <name>",
      arity = "1..2",
      description = "What to explain; pod/NAME and node/NAME do, too.")
  List<String> subject = new ArrayList<>();

  ExplainCommand(Session session) {
    this.session = session;
  }

  @Override
  public ConnectionFlags connection() {
    return connection;
  }

  @Override
  public Integer call() {
    List<String> words = subject.size() == 1 ? List.of(subject.getFirst().split("/", 2)) : subject;
    String kind =
        words
            .getFirst()
            .replaceFirst("^(pod|node)s$", "$1")
            .replaceFirst("^po$", "pod")
            .replaceFirst("^no$", "node");
    if (!KINDS.contains(kind)) {
      throw Names.wrong(
          "'%s' cannot be explained: give pod NAME or node NAME. %s"
              .formatted(kind, Suggestions.didYouMean(kind, KINDS).orElse(""))
              .stripTrailing());
    }
    if (words.size() < 2) {
      throw Names.wrong(
          "which %s? Give its name: kubectl gpu explain %s NAME".formatted(kind, kind));
    }
    String name = Names.require(kind, words.get(1));
    var cluster = connection.cluster(session);
    Chain chain = kind.equals("pod") ? pod(cluster, name) : node(cluster, name);
    output.print(
        session, chain, List.of(kind + "/" + name), screen -> ChainPrint.print(screen, chain));
    return chain.ok() ? ExitCodes.OK : ExitCodes.PROBLEM;
  }

  private Chain node(ClusterReading cluster, String name) {
    var node = cluster.gpuNode(name);
    var pods = cluster.holders();
    GpuNode found;
    try {
      found = node.get();
    } catch (RefusedException refused) {
      throw refused.kind() == Refusal.Kind.NOT_FOUND
          ? Names.unknown(
              "node %s with GPUs".formatted(name),
              name,
              cluster.gpuNodes().get().stream().map(GpuNode::name).toList())
          : refused;
    }
    return NodeChain.of(found, pods.get().map(it -> new Holdings(it).on(name)));
  }

  /// Those who run pods often may list nothing outside of their namespace.
  private Chain pod(ClusterReading cluster, String name) {
    String place =
        namespace.isEmpty() ? cluster.namespace() : Names.require("namespace", namespace);
    var pod = cluster.pod(place, name);
    var gpuNodes = cluster.gpuNodesIfAny();
    var nodes = cluster.nodes();
    var pods = cluster.holders();
    Pod found;
    try {
      found = pod.get();
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.NOT_FOUND) {
        return missing(cluster, place, name);
      }
      throw refused;
    }
    return PodChain.of(
        found,
        new PodChain.Cluster(
            gpuNodes.get().orElse(List.of()),
            nodes.get(),
            pods.get().map(Holdings::new),
            found.claims().isEmpty() ? Optional.empty() : cluster.claims(place).get()),
        session.clock().instant());
  }

  /// A pod that a quota forbids is never made: its controller's Event says why.
  private static Chain missing(ClusterReading cluster, String namespace, String name) {
    var failures = cluster.failedCreations(namespace);
    var names = cluster.podNames(namespace);
    List<FailedCreation> about =
        failures.get().orElse(List.of()).stream().filter(it -> it.isAbout(name)).toList();
    if (about.isEmpty()) {
      throw Names.unknown(
          "pod %s in namespace %s".formatted(name, namespace), name, names.get().orElse(List.of()));
    }
    return MissingPod.of(namespace, name, about);
  }
}
