package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.FailedCreation;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.plan.Chain;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.MissingPod;
import dev.pitcrew.cli.plan.NodeChain;
import dev.pitcrew.cli.plan.PodChain;
import dev.pitcrew.cli.plan.PolicyChain;
import dev.pitcrew.cli.print.ChainPrint;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "explain",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Names the one thing that keeps a pod from running, or a node or a policy from being ready, and what to do.",
      "Exit code 1 says that there is such a thing."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu explain pod train-42 -n ml   # or pod ml/train-42",
      "  kubectl gpu explain node gpu-1",
      "  kubectl gpu explain policy               # the one in force; or by its name"
    })
final class ExplainCommand extends ReadingCommand {
  static final List<String> KINDS = List.of("pod", "node", "policy");

  /// @param id of the subject, as kubectl takes it
  private record Explained(String id, Chain chain) {}

  private static final String POLICY = "policy";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "<namespace>",
      defaultValue = "",
      description = "Namespace of the pod (default: that of the context).")
  String namespace = "";

  @Parameters(
      paramLabel = "(pod|node|policy) <name>",
      arity = "1..2",
      description =
          "What to explain; pod/NAME does, too. A pod may be NAMESPACE/NAME. A policy is a ClusterPolicy, FleetPolicy or GPUCluster, and needs no name.")
  List<String> subject = new ArrayList<>();

  ExplainCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    List<String> words = subject.size() == 1 ? List.of(subject.getFirst().split("/", 2)) : subject;
    String kind =
        words
            .getFirst()
            .replaceFirst("^(pod|node)s$", "$1")
            .replaceFirst("^po$", "pod")
            .replaceFirst("^no$", "node")
            .replaceFirst("^policies$", POLICY);
    Optional<Policy.Kind> policy = Policy.Kind.of(kind);
    boolean isPolicy = kind.equals(POLICY) || policy.isPresent();
    if (!KINDS.contains(kind) && !isPolicy) {
      throw Names.wrong(
          "'%s' cannot be explained: give pod NAME, node NAME or policy. %s"
              .formatted(kind, Suggestions.didYouMean(kind, KINDS).orElse(""))
              .stripTrailing());
    }
    if (words.size() < 2 && !isPolicy) {
      throw Names.wrong(
          "which %s? Give its name: kubectl gpu explain %s NAME".formatted(kind, kind));
    }
    // As the other commands name pods.
    if (kind.equals("pod") && namespace.isEmpty() && words.getLast().contains("/")) {
      String[] path = words.getLast().split("/", 2);
      namespace = Names.require("namespace", path[0]);
      words = List.of(kind, path[1]);
    }
    Optional<String> name = words.stream().skip(1).map(it -> Names.require(kind, it)).findFirst();
    var cluster = cluster();
    Explained explained =
        isPolicy
            ? policy(cluster, policy, name)
            : new Explained(
                kind + "/" + name.orElseThrow(),
                kind.equals("pod")
                    ? pod(cluster, name.orElseThrow())
                    : node(cluster, name.orElseThrow()));
    output.print(
        session,
        explained.chain(),
        explained.id().isEmpty() ? List.of() : List.of(explained.id()),
        screen -> ChainPrint.print(screen, explained.chain()));
    return explained.chain().ok() ? ExitCodes.OK : ExitCodes.PROBLEM;
  }

  private Explained policy(
      ClusterReading cluster, Optional<Policy.Kind> kind, Optional<String> name) {
    var nodes = cluster.gpuNodes();
    var clusterPolicies = cluster.policies();
    var others =
        Stream.of(Policy.Kind.GPU_CLUSTER, Policy.Kind.FLEET_POLICY)
            .map(cluster::policiesIfAny)
            .toList();
    // Of what is refused, this says most.
    List<GpuNode> all = nodes.get();
    List<Policy> policies =
        Stream.concat(
                clusterPolicies.get().stream(),
                others.stream().flatMap(it -> it.get().orElse(List.of()).stream()))
            .toList();
    List<Policy> ofKind =
        policies.stream()
            .filter(it -> kind.map(it.kind()::equals).orElse(true))
            .filter(it -> kind.isPresent() || name.isPresent() || !it.isOfFleet())
            .toList();
    Optional<Policy> meant =
        PolicyChain.choice(
            ofKind.stream().filter(it -> name.isEmpty() || it.name().equals(name.get())).toList());
    if (meant.isEmpty() && name.isPresent()) {
      throw Names.unknown(
          "%s %s".formatted(kind.map(Policy.Kind::title).orElse(POLICY), name.get()),
          name.get(),
          ofKind.stream().map(Policy::name).toList());
    }
    if (meant.isEmpty() && kind.isPresent()) {
      throw Names.wrong(
          "there is no %s that your rights allow to list".formatted(kind.get().title()));
    }
    Optional<Policy> fleetPolicy = policies.stream().filter(Policy::isOfFleet).findFirst();
    Instant now = session.clock().instant();
    return meant
        .map(it -> new Explained(it.id(), PolicyChain.of(it, fleetPolicy, all, now)))
        .orElseGet(() -> new Explained("", PolicyChain.none()));
  }

  private Chain node(ClusterReading cluster, String name) {
    var node = NodeArgument.one(cluster, name);
    var pods = cluster.holders();
    GpuNode found = node.get();
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
