package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.core.fleet.FleetFigures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// All GPUs of a cluster on one screen.
///
/// @param ok whether nothing has to be done: every policy and every node is ready, and no roll-out
///   has failed
/// @param next commands that say more, the most useful first
public record FleetStatus(
    boolean ok,
    List<PolicyState> policies,
    Nodes nodes,
    Gpus gpus,
    RollOut rollout,
    List<String> next) {
  private static final String WHOLE = "nvidia.com/gpu";
  static final int MOST_EXAMPLES = 3;

  /// What a policy has come to.
  public record PolicyState(String name, boolean ready, String reason, String message) {}

  /// @param notReady by reason, most nodes first
  public record Nodes(int total, int ready, List<Group> notReady) {}

  /// Nodes that are not ready for the same reason.
  ///
  /// @param examples their first names
  /// @param message that of the first
  public record Group(String reason, int nodes, List<String> examples, String message) {}

  /// @param inUse of those that pods get as a whole; empty where the user may not list pods
  /// @param free likewise
  /// @param shared GPUs that are divided, shared or allocated by claims, of which none is free or
  ///   in use as a whole
  public record Gpus(
      long total, Optional<Long> inUse, Optional<Long> free, long unhealthy, long shared) {}

  /// Nodes on their way to a new driver.
  ///
  /// @param underWay such as `gpu-2 (Drain: pod a/b …)`
  public record RollOut(List<String> underWay, int pending, List<String> failed) {
    public boolean isOver() {
      return underWay.isEmpty() && pending == 0 && failed.isEmpty();
    }
  }

  /// @param pods that hold GPUs, empty where the user may not list them
  public static FleetStatus of(
      Collection<Policy> policies, Collection<GpuNode> nodes, Optional<Holdings> pods) {
    List<PolicyState> states = policies.stream().map(FleetStatus::state).toList();
    var bad = groups(nodes);
    RollOut rollout = rollOut(nodes);
    boolean ok =
        !states.isEmpty()
            && states.stream().allMatch(PolicyState::ready)
            && bad.isEmpty()
            && rollout.failed().isEmpty();
    FleetFigures figures = FleetFigures.of(nodes.stream().map(GpuNode::report).toList());
    return new FleetStatus(
        ok,
        states,
        new Nodes(figures.nodes(), figures.ready(), bad),
        gpus(figures, nodes, pods),
        rollout,
        next(states, bad, rollout));
  }

  private static PolicyState state(Policy policy) {
    return new PolicyState(
        policy.name(),
        policy.isReady(),
        policy.verdict().map(Condition::reason).orElse("NotReportedYet"),
        policy
            .verdict()
            .map(Condition::message)
            .orElse("the operator has not looked at it yet: see that its pod runs"));
  }

  static List<Group> groups(Collection<GpuNode> nodes) {
    Map<String, List<GpuNode>> byReason =
        nodes.stream()
            .filter(node -> !node.isReady())
            .sorted(Comparator.comparing(GpuNode::name))
            .collect(Collectors.groupingBy(GpuNode::reason));
    return byReason.entrySet().stream()
        .map(it ->
            new Group(
                it.getKey(),
                it.getValue().size(),
                it.getValue().stream().map(GpuNode::name).limit(MOST_EXAMPLES).toList(),
                it.getValue().getFirst().message()))
        .sorted(Comparator.comparingInt((Group it) -> -it.nodes()).thenComparing(Group::reason))
        .toList();
  }

  private static Gpus gpus(
      FleetFigures figures, Collection<GpuNode> nodes, Optional<Holdings> pods) {
    List<GpuNode> whole = nodes.stream().filter(GpuNode::givesWholeGpus).toList();
    Optional<Long> inUse = pods.map(it -> whole.stream().mapToLong(node -> inUse(node, it)).sum());
    Optional<Long> free = pods.map(it -> whole.stream().mapToLong(node -> free(node, it)).sum());
    return new Gpus(figures.gpus(), inUse, free, figures.unhealthy(), figures.shared());
  }

  static long inUse(GpuNode node, Holdings pods) {
    return pods.held(node.name(), WHOLE);
  }

  /// Those of a node that is taken out of use, or has nothing to offer, are not free.
  private static long free(GpuNode node, Holdings pods) {
    long usable = node.report().allocatable() - inUse(node, pods);
    return node.rollout().isUnderWay() ? 0 : Math.max(0, usable);
  }

  static RollOut rollOut(Collection<GpuNode> nodes) {
    List<GpuNode> sorted = nodes.stream().sorted(Comparator.comparing(GpuNode::name)).toList();
    return new RollOut(
        sorted.stream().filter(it -> it.rollout().isUnderWay()).map(FleetStatus::step).toList(),
        (int) sorted.stream().filter(it -> it.rollout().isPending()).count(),
        sorted.stream().filter(it -> it.rollout().isFailed()).map(GpuNode::name).toList());
  }

  private static String step(GpuNode node) {
    String blocker = node.rollout().blocker();
    return "%s (%s%s)"
        .formatted(node.name(), node.rollout().phase(), blocker.isEmpty() ? "" : ": " + blocker);
  }

  private static List<String> next(
      Collection<PolicyState> policies, List<Group> bad, RollOut rollout) {
    var next = new ArrayList<String>();
    if (!bad.isEmpty()) {
      next.add("kubectl gpu explain node " + bad.getFirst().examples().getFirst());
    }
    rollout.failed().stream()
        .limit(1)
        .map(node -> "kubectl gpu explain node " + node)
        .filter(command -> !next.contains(command))
        .forEach(next::add);
    policies.stream()
        .filter(policy -> !policy.ready())
        .limit(1)
        .map(policy -> "kubectl gpu explain policy " + policy.name())
        .forEach(next::add);
    return List.copyOf(next);
  }
}
