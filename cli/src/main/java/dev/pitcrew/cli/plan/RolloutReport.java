package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.DriverPod;
import dev.pitcrew.cli.cluster.DriverSet;
import dev.pitcrew.cli.cluster.DriverSource;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.rollout.RolloutEnd;
import dev.pitcrew.core.rollout.RolloutWords;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// How far the nodes of one policy are on their way to its driver. Phases, blockers and deadlines
/// are the operator's, from the GPUNodes; nothing of its plan is computed again.
///
/// @param halt why no further node begins; empty where the roll-out is not halted
/// @param refusal why the operator does not carry the policy out; empty where it does
/// @param observed whether the operator has looked at the policy as it is now
public record RolloutReport(
    String source, RolloutEnd end, String halt, String refusal, boolean observed, List<Row> nodes) {
  private static final String IDLE = "Idle";
  private static final String PENDING = "Pending";
  private static final String FAILED = "Failed";
  private static final Set<String> DONE = Set.of(IDLE, "Done");

  /// One node; empty texts for what there is not.
  ///
  /// @param driver that it has
  /// @param wanted that it is to have
  public record Row(
      String node,
      String phase,
      String driver,
      String wanted,
      String since,
      String deadline,
      String blocker,
      String next) {
    public boolean isDone() {
      return DONE.contains(phase);
    }

    public boolean isFailed() {
      return phase.equals(FAILED);
    }

    public boolean isPending() {
      return phase.equals(PENDING);
    }

    private RolloutEnd.Node moved() {
      boolean begins = isPending() && blocker.isEmpty();
      return new RolloutEnd.Node(
          isDone(), begins || (!isDone() && !isPending() && !isFailed()), isFailed());
    }
  }

  /// What the nodes have, as far as the user may read it.
  ///
  /// @param nodes empty where the user may not list them
  /// @param sets likewise
  /// @param pods likewise
  public record Fleet(
      List<GpuNode> gpuNodes,
      Optional<List<KubeNode>> nodes,
      Optional<List<DriverSet>> sets,
      Optional<List<DriverPod>> pods) {}

  /// One for each policy that upgrades drivers.
  public static List<RolloutReport> of(Collection<DriverSource> sources, Fleet fleet) {
    var members = new Members(fleet);
    return sources.stream()
        .filter(it -> it.unattended().isEmpty())
        .map(it -> of(it, members.of(it)))
        .toList();
  }

  private static RolloutReport of(DriverSource source, List<Row> rows) {
    String halt =
        rows.stream()
            .map(Row::blocker)
            .filter(it -> it.startsWith(RolloutWords.HALTED))
            .map(it -> it.substring(RolloutWords.HALTED.length()))
            .findFirst()
            .orElse("");
    RolloutEnd end =
        RolloutEnd.of(
            rows.stream().map(Row::moved).toList(), !halt.isEmpty(), !source.refusal().isEmpty());
    return new RolloutReport(
        source.title(),
        source.observed() ? end : RolloutEnd.NONE,
        halt,
        source.refusal(),
        source.observed(),
        rows);
  }

  /// One line of it all.
  public String summary() {
    return RolloutWords.summary(
        source, nodes.stream().map(Row::phase).toList(), halt, refusal, observed);
  }

  /// Such as `595.91.07 to 600.10.01`, of the nodes that are not done.
  public List<String> changes() {
    return nodes.stream()
        .filter(it -> !it.driver().isEmpty() && !it.driver().equals(it.wanted()))
        .map(it -> it.driver() + " to " + it.wanted())
        .distinct()
        .toList();
  }

  /// Puts together what is known of each node.
  private static final class Members {
    private final Map<String, GpuNode> gpuNodes;
    private final Map<String, KubeNode> nodes;
    private final Map<String, DriverSet> sets;
    private final Map<String, DriverPod> pods = new HashMap<>();
    private final Set<String> all = new HashSet<>();

    Members(Fleet fleet) {
      gpuNodes =
          fleet.gpuNodes().stream().collect(Collectors.toMap(GpuNode::name, Function.identity()));
      nodes =
          fleet.nodes().orElse(List.of()).stream()
              .collect(Collectors.toMap(KubeNode::name, Function.identity()));
      sets =
          fleet.sets().orElse(List.of()).stream()
              .collect(Collectors.toMap(DriverSet::uid, Function.identity()));
      fleet.pods().orElse(List.of()).stream()
          .filter(it -> sets.containsKey(it.set()))
          .forEach(it -> pods.merge(it.node(), it, Members::newer));
      all.addAll(pods.keySet());
      gpuNodes.values().stream()
          .filter(it -> !it.rollout().phase().equals(IDLE) || fleet.pods().isEmpty())
          .forEach(it -> all.add(it.name()));
      nodes.values().stream()
          .filter(it -> label(it, NodeLabels.UPGRADE_STATE).isPresent())
          .forEach(it -> all.add(it.name()));
    }

    /// Of an NVIDIADriver the nodes that are labelled as its own.
    List<Row> of(DriverSource source) {
      return all.stream()
          .filter(name ->
              source.isClusterPolicy()
                  || Optional.ofNullable(nodes.get(name))
                      .flatMap(it -> label(it, NodeLabels.DRIVER_OWNER))
                      .filter(source.name()::equals)
                      .isPresent())
          .map(this::row)
          .sorted(Comparator.comparing(Row::isDone).thenComparing(Row::node))
          .toList();
    }

    /// What the operator has written counts; where it has not seen yet that the node's driver is
    /// another than the one that is wanted, the node waits.
    private Row row(String name) {
      Optional<DriverPod> pod = Optional.ofNullable(pods.get(name));
      Optional<DriverSet> set = pod.flatMap(it -> Optional.ofNullable(sets.get(it.set())));
      boolean current =
          pod.flatMap(it -> set.map(wanted -> it.installed().isAsAskedBy(wanted.template())))
              .orElse(true);
      GpuNode.Rollout written =
          Optional.ofNullable(gpuNodes.get(name))
              .map(GpuNode::rollout)
              .orElseGet(() -> new GpuNode.Rollout(phase(name), "", "", "", ""));
      boolean unseen = DONE.contains(written.phase()) && !current;
      return new Row(
          name,
          unseen ? PENDING : written.phase(),
          pod.map(it -> it.installed().version()).orElse(""),
          set.map(it -> it.template().version()).orElse(""),
          unseen ? "" : written.since(),
          unseen ? "" : written.deadline(),
          unseen ? "" : written.blocker(),
          unseen ? "" : written.nextAction());
    }

    /// Of a node without a GPUNode, as where the agent is off, from the label of its state.
    private String phase(String node) {
      String state =
          Optional.ofNullable(nodes.get(node))
              .flatMap(it -> label(it, NodeLabels.UPGRADE_STATE))
              .orElse("");
      return switch (state) {
        case "" -> IDLE;
        case "upgrade-done" -> "Done";
        case "upgrade-required" -> PENDING;
        case "upgrade-failed" -> FAILED;
        default -> state;
      };
    }

    private static DriverPod newer(DriverPod one, DriverPod other) {
      return one.created().compareTo(other.created()) < 0 ? other : one;
    }

    private static Optional<String> label(KubeNode node, String key) {
      return Optional.ofNullable(node.offer().labels().get(key)).filter(it -> !it.isEmpty());
    }
  }
}
