package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Chain.Mark;
import dev.pitcrew.cli.plan.Chain.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Why a node's GPUs can be used or not: its conditions in the order in which a node reaches them.
public final class NodeChain {
  private static final String READY = "Ready";

  private NodeChain() {}

  /// @param pods that hold GPUs of the node; empty where the user may not list them
  public static Chain of(GpuNode node, Optional<List<Pod>> pods) {
    List<Condition> parts =
        node.conditions().stream().filter(it -> !it.type().equals(READY)).toList();
    Optional<Condition> first = parts.stream().filter(it -> !it.isTrue()).findFirst();
    var steps = new ArrayList<Step>();
    parts.forEach(it -> steps.add(step(node, it, first)));
    pods.filter(it -> !it.isEmpty())
        .ifPresent(it ->
            steps.add(
                new Step(
                    Mark.NOTE,
                    "pods that hold its GPUs",
                    it.stream().map(NodeChain::holder).toList())));
    if (!node.rollout().phase().equals("Idle")) {
      steps.add(rollout(node));
    }
    boolean ok = node.isReady() && !node.rollout().isFailed();
    return new Chain(ok, subject(node), cause(node, first), steps, next(node, first, ok));
  }

  private static String subject(GpuNode node) {
    String product = node.product();
    return "Node %s: %d × %s%s, %s"
        .formatted(
            node.name(),
            node.gpuCount(),
            product.isEmpty() ? "GPU" : product,
            node.driver().isEmpty() ? ", no driver" : ", driver " + node.driver(),
            node.isReady() ? "ready" : "not ready");
  }

  private static Step step(GpuNode node, Condition condition, Optional<Condition> first) {
    Mark mark =
        condition.isTrue()
            ? Mark.GOOD
            : first.filter(condition::equals).isPresent() ? Mark.BAD : Mark.NOTE;
    var details = new ArrayList<String>();
    if (!condition.isTrue()) {
      details.add(condition.message());
    }
    if (condition.type().equals("Healthy")) {
      node.gpus().stream().filter(Gpu::isWorseThanHealthy).forEach(gpu -> details.add(gpu(gpu)));
    }
    String words =
        condition.isTrue()
            ? condition.type()
            : "%s=%s %s".formatted(condition.type(), condition.status(), condition.reason());
    return new Step(mark, words, details);
  }

  private static String gpu(Gpu gpu) {
    return "%s %s %s since %s%s"
        .formatted(
            gpu.title(),
            gpu.pciAddress(),
            gpu.level(),
            gpu.since(),
            gpu.evidence().isEmpty() ? "" : ": " + String.join("; ", gpu.evidence()));
  }

  private static String holder(Pod pod) {
    return "%s  %s".formatted(pod.id(), Words.asks(pod.demand()));
  }

  private static Step rollout(GpuNode node) {
    GpuNode.Rollout rollout = node.rollout();
    var details = new ArrayList<String>();
    if (!rollout.blocker().isEmpty()) {
      details.add("waits for " + rollout.blocker());
    }
    if (!rollout.nextAction().isEmpty()) {
      details.add(rollout.nextAction());
    }
    return new Step(
        rollout.isFailed() ? Mark.BAD : Mark.NOTE, "driver roll-out: " + rollout.phase(), details);
  }

  private static String cause(GpuNode node, Optional<Condition> first) {
    if (first.isPresent() && !node.isReady()) {
      return first.get().type() + " " + first.get().reason();
    }
    if (!node.isReady()) {
      return node.reason();
    }
    return node.rollout().isFailed() ? "the roll-out of the driver has failed" : "";
  }

  private static List<String> next(GpuNode node, Optional<Condition> first, boolean ok) {
    if (ok) {
      return List.of();
    }
    if (node.isReady()) {
      return List.of("see docs/driver-upgrades.md: what to do about a node that has failed");
    }
    return first.map(it -> Remedies.of(node, it)).orElse(List.of(Remedies.agentLog(node.name())));
  }
}
