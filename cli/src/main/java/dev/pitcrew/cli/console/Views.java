package dev.pitcrew.cli.console;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.ObjectNames;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.plan.Attention;
import dev.pitcrew.cli.plan.Chain;
import dev.pitcrew.cli.plan.FleetStatus;
import dev.pitcrew.cli.plan.HealthRow;
import dev.pitcrew.cli.plan.HolderRow;
import dev.pitcrew.cli.plan.NodeChain;
import dev.pitcrew.cli.plan.NodeRow;
import dev.pitcrew.cli.plan.PendingGroup;
import dev.pitcrew.cli.plan.PodChain;
import dev.pitcrew.cli.plan.XidAdvice;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// What the screens show, by the last part of their paths.
final class Views {
  private static final String NODE = "node/";
  private static final Pattern XID = Pattern.compile("\\bXid ([0-9]{1,6})\\b");

  /// @param holders of its GPUs; empty where the user may not list pods
  /// @param command that prints the same
  public record NodeView(
      NodeRow row,
      Chain chain,
      List<Condition> conditions,
      List<Gpu> gpus,
      GpuNode.Rollout rollout,
      Optional<List<HolderRow>> holders,
      String command) {}

  /// @param pending empty where the user may not list pods
  public record PodsView(Optional<PendingGroup.Pending> pending) {}

  /// @param nodes that take part, those that have failed first
  public record RolloutView(FleetStatus.RollOut status, List<RolloutNode> nodes) {}

  public record RolloutNode(String name, String driver, GpuNode.Rollout rollout) {}

  public record HealthView(List<HealthRow> gpus, List<XidAdvice> xids) {}

  public record PolicyView(List<PolicyRow> policies) {}

  /// @param command that prints the same
  public record PolicyRow(Chain chain, List<Policy.Operand> operands, String command) {}

  private final ConsoleModel model;

  Views(ConsoleModel model) {
    this.model = model;
  }

  FleetView fleet() {
    return FleetView.of(model.snapshot(), model.isRead());
  }

  /// Empty where there is no such view, or no such node.
  Optional<Object> of(String path) {
    Snapshot snapshot = model.snapshot();
    return switch (path) {
      case "fleet" -> Optional.of(FleetView.of(snapshot, model.isRead()));
      case "pods" -> Optional.of(pods(snapshot));
      case "rollout" -> Optional.of(rollout(snapshot));
      case "health" -> Optional.of(health(snapshot));
      case "policy" -> Optional.of(policy(snapshot));
      default ->
          path.startsWith(NODE) ? node(snapshot, path.substring(NODE.length())) : Optional.empty();
    };
  }

  private static Optional<Object> node(Snapshot snapshot, String name) {
    return snapshot.nodes().stream()
        .filter(it -> ObjectNames.isName(name) && it.name().equals(name))
        .findFirst()
        .map(node -> {
          Optional<List<Pod>> pods = snapshot.holdings().map(it -> it.on(name));
          return new NodeView(
              NodeRow.of(List.of(node), snapshot.kubeNodes(), snapshot.holdings()).getFirst(),
              NodeChain.of(node, pods),
              node.conditions(),
              node.gpus(),
              node.rollout(),
              pods.map(it -> HolderRow.of(it, name)),
              "kubectl gpu explain node " + name);
        });
  }

  private PodsView pods(Snapshot snapshot) {
    return new PodsView(
        snapshot
            .pods()
            .map(pods ->
                PendingGroup.of(
                    PendingGroup.waiting(pods),
                    new PodChain.Cluster(
                        snapshot.nodes(),
                        snapshot.kubeNodes(),
                        snapshot.holdings(),
                        Optional.empty()),
                    model::claims,
                    snapshot.now())));
  }

  private static RolloutView rollout(Snapshot snapshot) {
    return new RolloutView(
        FleetStatus.of(List.of(), snapshot.nodes(), Optional.empty()).rollout(),
        snapshot.nodes().stream()
            .filter(it ->
                it.rollout().isFailed() || it.rollout().isUnderWay() || it.rollout().isPending())
            .sorted(
                Comparator.comparing((GpuNode it) -> !it.rollout().isFailed())
                    .thenComparing(it -> it.rollout().isPending())
                    .thenComparing(GpuNode::name))
            .map(it -> new RolloutNode(it.name(), it.driver(), it.rollout()))
            .toList());
  }

  private static HealthView health(Snapshot snapshot) {
    List<HealthRow> rows = HealthRow.of(snapshot.nodes(), snapshot.settings(), snapshot.holdings());
    return new HealthView(
        rows,
        rows.stream()
            .flatMap(it -> it.evidence().stream())
            .flatMap(it -> XID.matcher(it).results())
            .map(it -> Long.parseLong(it.group(1)))
            .distinct()
            .sorted()
            .map(XidAdvice::of)
            .toList());
  }

  private static PolicyView policy(Snapshot snapshot) {
    return new PolicyView(
        Attention.chains(snapshot.policies(), snapshot.nodes(), snapshot.now()).stream()
            .map(it ->
                new PolicyRow(
                    it.chain(),
                    snapshot.policies().stream()
                        .filter(policy -> policy.id().equals(it.id()))
                        .flatMap(policy -> policy.operands().stream())
                        .toList(),
                    ("kubectl gpu explain policy " + it.id()).strip()))
            .toList());
  }
}
