package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Policy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Something that an administrator has to look at.
///
/// @param title in a few words
/// @param nodes the first that it is about; empty where it is about none
/// @param next what to do, in order
/// @param command that explains it
public record Attention(
    String title, String message, List<String> nodes, List<String> next, String command) {
  private static final String FLEET_POLICY = Policy.Kind.FLEET_POLICY.resource() + "/";
  private static final String EXPLAIN_NODE = "kubectl gpu explain node ";

  /// Nodes by reason first, then what has failed of a roll-out, then policies, whose cause is often
  /// a node.
  public static List<Attention> of(
      Collection<Policy> policies,
      Collection<GpuNode> nodes,
      Optional<Holdings> pods,
      Instant now) {
    Map<String, GpuNode> byName =
        nodes.stream().collect(Collectors.toMap(GpuNode::name, Function.identity()));
    var attention = new ArrayList<Attention>();
    FleetStatus.groups(nodes).stream()
        .map(group -> group(group, byName, pods))
        .forEach(attention::add);
    List<GpuNode> failed =
        FleetStatus.rollOut(nodes).failed().stream()
            .map(it -> Objects.requireNonNull(byName.get(it)))
            .filter(GpuNode::isReady)
            .toList();
    if (!failed.isEmpty()) {
      attention.add(failed(failed, pods));
    }
    // That of a FleetPolicy repeats the verdict of the ClusterPolicy.
    chains(policies, nodes, now).stream()
        .filter(it -> !it.chain().ok() && !it.id().startsWith(FLEET_POLICY))
        .map(it -> policy(it.id(), it.chain()))
        .forEach(attention::add);
    return List.copyOf(attention);
  }

  /// A policy, why it is as it is, and its name as kubectl takes it; empty where there is none.
  public record PolicyState(String id, Chain chain) {}

  /// All policies, or that there is none that manages GPUs. A FleetPolicy alone manages none.
  public static List<PolicyState> chains(
      Collection<Policy> policies, Collection<GpuNode> nodes, Instant now) {
    Optional<Policy> fleet = policies.stream().filter(Policy::isOfFleet).findFirst();
    Stream<PolicyState> none =
        policies.stream().allMatch(Policy::isOfFleet)
            ? Stream.of(new PolicyState("", PolicyChain.none()))
            : Stream.empty();
    return Stream.concat(
            none,
            policies.stream()
                .map(it -> new PolicyState(it.id(), PolicyChain.of(it, fleet, nodes, now))))
        .toList();
  }

  private static Attention policy(String id, Chain chain) {
    return new Attention(
        chain.subject(),
        chain.cause(),
        List.of(),
        chain.next(),
        ("kubectl gpu explain policy " + id).strip());
  }

  private static Attention group(
      FleetStatus.Group group, Map<String, GpuNode> byName, Optional<Holdings> pods) {
    String first = group.examples().getFirst();
    return new Attention(
        "%d %s not ready: %s"
            .formatted(group.nodes(), group.nodes() == 1 ? "node" : "nodes", group.reason()),
        group.message(),
        group.examples(),
        NodeChain.of(Objects.requireNonNull(byName.get(first)), pods.map(it -> it.on(first)))
            .next(),
        EXPLAIN_NODE + first);
  }

  private static Attention failed(List<GpuNode> failed, Optional<Holdings> pods) {
    GpuNode first = failed.getFirst();
    return new Attention(
        "the roll-out of a driver has failed on %d %s"
            .formatted(failed.size(), failed.size() == 1 ? "node" : "nodes"),
        first.rollout().blocker(),
        failed.stream().map(GpuNode::name).limit(FleetStatus.MOST_EXAMPLES).toList(),
        NodeChain.of(first, pods.map(it -> it.on(first.name()))).next(),
        EXPLAIN_NODE + first.name());
  }
}
