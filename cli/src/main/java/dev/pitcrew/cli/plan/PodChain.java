package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.ClaimState;
import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Chain.Mark;
import dev.pitcrew.cli.plan.Chain.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The one thing that keeps a pod from running. The order is that in which a pod gets on: it is let
/// to the scheduler, its claims are allocated, a node is found, its containers start.
public final class PodChain {

  /// What is known of the cluster.
  ///
  /// @param nodes empty where the user may not list them
  /// @param holders pods that hold GPUs; empty where the user may not list them
  /// @param claims of the pod's namespace; empty where the user may not list them
  public record Cluster(
      Collection<GpuNode> gpuNodes,
      Optional<List<KubeNode>> nodes,
      Optional<Holdings> holders,
      Optional<List<ClaimState>> claims) {

    Cluster withClaims(Optional<List<ClaimState>> others) {
      return new Cluster(gpuNodes, nodes, holders, others);
    }

    Optional<GpuNode> gpuNode(String name) {
      return gpuNodes.stream().filter(it -> it.name().equals(name)).findFirst();
    }
  }

  /// A check that is the last one where it has something to say.
  @FunctionalInterface
  private interface Check {
    Optional<Chain> chain(Pod pod, Cluster cluster, String subject);
  }

  private static final List<Check> CHECKS =
      List.of(
          PodChain::ended,
          PodChain::gated,
          PodChain::asksForNone,
          PodChain::claimsNotAllocated,
          PodChain::noNodeYet,
          PodChain::starting);

  private PodChain() {}

  public static Chain of(Pod pod, Cluster cluster, Instant now) {
    String subject =
        "Pod %s: %s for %s, asks for %s"
            .formatted(
                pod.id(),
                pod.deleting() ? "being deleted, " + pod.phase() : pod.phase(),
                Words.age(pod.created(), now),
                pod.demand().isEmpty() && pod.claims().isEmpty()
                    ? "no GPU"
                    : Words.asks(pod.demand()));
    return CHECKS.stream()
        .flatMap(check -> check.chain(pod, cluster, subject).stream())
        .findFirst()
        .orElseGet(() -> running(pod, cluster, subject));
  }

  private static Optional<Chain> ended(Pod pod, Cluster cluster, String subject) {
    if (pod.deleting()) {
      return Optional.of(
          bad(subject, "it is being deleted", List.of(), List.of("wait until it is gone")));
    }
    if (pod.phase().equals("Succeeded")) {
      return Optional.of(new Chain(true, subject, "", List.of(), List.of()));
    }
    if (!pod.phase().equals("Failed")) {
      return Optional.empty();
    }
    return Optional.of(
        bad(
            subject,
            pod.reason().isEmpty()
                ? "its containers failed"
                : "the kubelet ended it: " + pod.reason(),
            pod.message().isEmpty() ? List.of() : List.of(step(Mark.BAD, pod.message())),
            pod.reason().equals("UnexpectedAdmissionError")
                ? List.of("see docs/pod-requests.md, UnexpectedAdmissionError")
                : List.of(
                    "kubectl logs -n %s %s --all-containers"
                        .formatted(pod.namespace(), pod.name()))));
  }

  private static Optional<Chain> gated(Pod pod, Cluster cluster, String subject) {
    if (pod.gates().isEmpty() || !pod.node().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        bad(
            subject,
            "its scheduling gates keep the scheduler from looking at it: "
                + Words.some(pod.gates()),
            List.of(),
            List.of(
                "the program that has set the gate removes it, such as the queue that the pod waits in")));
  }

  private static Optional<Chain> asksForNone(Pod pod, Cluster cluster, String subject) {
    if (!pod.demand().isEmpty() || !pod.claims().isEmpty()) {
      return Optional.empty();
    }
    List<Step> steps = scheduler(pod).stream().map(it -> step(Mark.NOTE, it)).toList();
    return Optional.of(
        new Chain(
            pod.phase().equals("Running"),
            subject,
            "no container asks for a GPU in resources.limits",
            steps,
            List.of("if it needs one, add to resources.limits of a container: nvidia.com/gpu: 1")));
  }

  private static Optional<Chain> claimsNotAllocated(Pod pod, Cluster cluster, String subject) {
    if (!pod.node().isEmpty()) {
      return Optional.empty();
    }
    var open = new ArrayList<Step>();
    for (Pod.Claim claim : pod.claims()) {
      if (claim.name().isEmpty()) {
        open.add(
            step(
                Mark.BAD,
                "ResourceClaim %s is not made yet: see that its ResourceClaimTemplate is there"
                    .formatted(claim.reference())));
      } else {
        cluster.claims().ifPresent(claims -> claimState(claim, claims).ifPresent(open::add));
      }
    }
    if (open.isEmpty()) {
      return Optional.empty();
    }
    scheduler(pod).ifPresent(words -> open.add(step(Mark.NOTE, words)));
    return Optional.of(
        bad(
            subject,
            open.getFirst().text(),
            open,
            List.of("what devices there are: kubectl get resourceslices", "see docs/claims.md")));
  }

  private static Optional<Step> claimState(Pod.Claim claim, List<ClaimState> claims) {
    Optional<ClaimState> state =
        claims.stream().filter(it -> it.name().equals(claim.name())).findFirst();
    if (state.isEmpty()) {
      return Optional.of(step(Mark.BAD, "there is no ResourceClaim " + claim.name()));
    }
    return state
        .filter(it -> !it.allocated())
        .map(it ->
            step(
                Mark.BAD,
                "ResourceClaim %s (%s) is not allocated"
                    .formatted(it.name(), String.join(", ", it.classes()))));
  }

  private static Optional<Chain> noNodeYet(Pod pod, Cluster cluster, String subject) {
    if (!pod.node().isEmpty()) {
      return Optional.empty();
    }
    if (cluster.nodes().isEmpty() || pod.demand().isEmpty()) {
      return Optional.of(
          bad(
              subject,
              scheduler(pod).orElse("the scheduler has not looked at it yet"),
              List.of(),
              cluster.nodes().isEmpty()
                  ? List.of("your rights do not allow to list nodes, so more is not known")
                  : List.of()));
    }
    return Optional.of(Search.of(pod, cluster, subject));
  }

  private static Optional<Chain> starting(Pod pod, Cluster cluster, String subject) {
    if (!pod.phase().equals("Pending")) {
      return Optional.empty();
    }
    var steps = new ArrayList<Step>();
    steps.add(step(Mark.GOOD, "it has a node: " + pod.node()));
    cluster.gpuNode(pod.node()).ifPresent(node -> steps.add(state(node)));
    pod.waiting()
        .forEach(it ->
            steps.add(
                new Step(
                    Mark.BAD,
                    "container %s: %s".formatted(it.container(), it.reason()),
                    it.message().isEmpty() ? List.of() : List.of(it.message()))));
    String cause =
        pod.waiting().stream()
            .findFirst()
            .map(it -> "its containers do not run yet: " + it.reason())
            .orElse("the kubelet of %s has not started it yet".formatted(pod.node()));
    return Optional.of(
        bad(
            subject,
            cause,
            steps,
            List.of("kubectl describe pod -n %s %s".formatted(pod.namespace(), pod.name()))));
  }

  /// Which of the node's GPUs it has is not in the API.
  private static Chain running(Pod pod, Cluster cluster, String subject) {
    var steps = new ArrayList<Step>();
    steps.add(step(Mark.GOOD, "it runs on " + pod.node()));
    Optional<GpuNode> node = cluster.gpuNode(pod.node());
    node.ifPresent(it -> steps.add(state(it)));
    List<Gpu> bad =
        node.map(it -> it.gpus().stream().filter(Gpu::isUnhealthy).toList()).orElse(List.of());
    List<String> next =
        bad.isEmpty()
            ? List.of(
                "which GPUs it has: kubectl exec -n %s %s -- nvidia-smi -L"
                    .formatted(pod.namespace(), pod.name()))
            : List.of(
                "whether it has one of them: kubectl exec -n %s %s -- nvidia-smi -L"
                    .formatted(pod.namespace(), pod.name()),
                "kubectl gpu explain node " + pod.node());
    return new Chain(true, subject, "", steps, next);
  }

  private static Step state(GpuNode node) {
    List<String> details =
        node.gpus().stream()
            .filter(Gpu::isWorseThanHealthy)
            .map(gpu -> "%s %s %s".formatted(gpu.title(), gpu.uuid(), gpu.level()))
            .toList();
    return new Step(
        node.isReady() ? Mark.GOOD : Mark.BAD,
        node.isReady()
            ? "the node is ready, with %d GPUs".formatted(node.gpuCount())
            : "the node is not ready: %s".formatted(node.reason()),
        node.isReady() ? details : List.of(node.message()));
  }

  /// What the scheduler says of it.
  static Optional<String> scheduler(Pod pod) {
    return pod.condition("PodScheduled")
        .filter(it -> !it.isTrue())
        .map(Condition::message)
        .filter(it -> !it.isEmpty())
        .map(it -> "the scheduler says: " + it);
  }

  static Chain bad(String subject, String cause, List<Step> steps, List<String> next) {
    return new Chain(false, subject, cause, steps, next);
  }

  static Step step(Mark mark, String text) {
    return new Step(mark, text, List.of());
  }
}
