package dev.pitcrew.operator.policy;

import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.upgrade.UpgradeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What the status of a ClusterPolicy says.
///
/// @param state as the CRD has it: `ready`, `notReady` or `ignored`
/// @param reason of the condition Ready or Error, whichever is true
public record PolicyVerdict(String state, String reason, String message) implements Verdict {
  /// The same as the NVIDIA GPU Operator's reasons, which users' alerts match on.
  private static final String RECONCILED = "Reconciled";

  private static final String OPERAND_NOT_READY = "OperandNotReady";
  private static final String RECONCILE_FAILED = "ReconcileFailed";

  public static PolicyVerdict ignored(String activePolicy) {
    return new PolicyVerdict(
        "ignored",
        "Ignored",
        "ClusterPolicy "
            + activePolicy
            + " is older and in force; delete one of the two, as a cluster has one policy");
  }

  public static PolicyVerdict failed(String message) {
    return new PolicyVerdict(NOT_READY, RECONCILE_FAILED, message);
  }

  /// What a plan has come to.
  ///
  /// @param rollouts how far the DaemonSets of an operand have come, by DaemonSet name
  public static PolicyVerdict of(
      PolicyPlan plan, ClusterFacts facts, Function<String, Rollout> rollouts) {
    return judge(plan, facts, rollouts).noting(plan.notices());
  }

  /// The same, but not ready while nodes lack labels that decide what runs on them.
  ///
  /// @param nodes whose labels are still to be written, by name, and what keeps them from it, or an
  ///   empty text
  public PolicyVerdict afterLabelling(SortedMap<String, String> nodes) {
    if (nodes.isEmpty() || !isReady()) {
      return this;
    }
    String example =
        nodes.entrySet().stream()
            .filter(node -> !node.getValue().isEmpty())
            .findFirst()
            .map(node -> node.getKey() + ", " + node.getValue())
            .orElseGet(() -> "the first is " + nodes.firstKey());
    return new PolicyVerdict(
        NOT_READY,
        OPERAND_NOT_READY,
        "ClusterPolicy is not ready; nodes still to be labelled: %d, %s"
            .formatted(nodes.size(), example));
  }

  /// The same, but not ready while nodes of NVIDIADrivers do not have their driver yet; the words
  /// are the NVIDIA GPU Operator's.
  ///
  /// @param nodes that are on their way to it, or failed on that, by name, and their state as the
  ///   label has it
  public PolicyVerdict afterUpgrading(SortedMap<String, String> nodes) {
    if (nodes.isEmpty() || !isReady()) {
      return this;
    }
    Optional<String> failed =
        nodes.entrySet().stream()
            .filter(node -> node.getValue().equals(UpgradeState.FAILED.label()))
            .map(Map.Entry::getKey)
            .findFirst();
    return new PolicyVerdict(
        NOT_READY,
        OPERAND_NOT_READY,
        "ClusterPolicy is not ready; NVIDIADriver upgrade has not completed; one or more NVIDIADriver-owned Nodes are marked pending, in-progress, or failed%s: `kubectl get gpunodes` shows why"
            .formatted(failed.map(node -> ", such as " + node + ", which failed").orElse("")));
  }

  /// The same, but not ready where the API server refuses what agents report.
  ///
  /// @param missing fields of a GPUNode that the cluster's definition lacks
  public PolicyVerdict withReports(Set<String> missing) {
    if (missing.isEmpty()) {
      return this;
    }
    String message =
        "the CustomResourceDefinition gpunodes.pitcrew.dev of this cluster lacks %s, so the API server refuses what agents report: apply the definitions of this release (pitcrew manage-crds apply)"
            .formatted(String.join(", ", new TreeSet<>(missing)));
    return isReady()
        ? new PolicyVerdict(NOT_READY, OPERAND_NOT_READY, "ClusterPolicy is not ready; " + message)
        : noting(List.of(message));
  }

  /// Another operator acts on the cluster. What else is not as wanted follows from that, or changes
  /// with each write of the other.
  ///
  /// @param other namespace and holder of its lease
  public static PolicyVerdict beside(String other) {
    return failed(
        "another GPU operator acts on this cluster, that in %s: both write the same nodes and ClusterPolicy, and each runs drivers of its own; uninstall one of the two (`helm list -A`)"
            .formatted(other));
  }

  private PolicyVerdict noting(List<String> notices) {
    return notices.isEmpty()
        ? this
        : new PolicyVerdict(state, reason, message + "; note: " + String.join("; ", notices));
  }

  private static PolicyVerdict judge(
      PolicyPlan plan, ClusterFacts facts, Function<String, Rollout> rollouts) {
    List<Problem> problems = plan.problems();
    if (!problems.isEmpty()) {
      return failed(problems.stream().map(Problem::message).collect(Collectors.joining("; ")));
    }
    var states = new ArrayList<String>();
    var lacks = new ArrayList<String>();
    for (OperandPlan operand : plan.operands()) {
      List<String> lacking = lacks(operand, rollouts);
      if (!lacking.isEmpty()) {
        states.add(operand.operand().state());
        lacks.addAll(lacking);
      }
    }
    if (!states.isEmpty()) {
      return new PolicyVerdict(
          NOT_READY,
          OPERAND_NOT_READY,
          "ClusterPolicy is not ready; states not ready: [%s]; %s"
              .formatted(String.join(" ", states), String.join("; ", lacks)));
    }
    SortedSet<String> awaited = facts.agents().awaited();
    if (!awaited.isEmpty()) {
      return awaiting(awaited, facts.agents().leaveOutNodes());
    }
    SortedSet<String> returning = facts.agents().returning();
    return returning.isEmpty() ? ready(plan, facts) : returning(returning);
  }

  private static PolicyVerdict returning(SortedSet<String> nodes) {
    return new PolicyVerdict(
        NOT_READY,
        OPERAND_NOT_READY,
        "ClusterPolicy is not ready; operands take the place of the node agent again, a tenth of the nodes at a time; still to come: %s"
            .formatted(nodes(nodes)));
  }

  private static PolicyVerdict awaiting(SortedSet<String> nodes, boolean leaveOutNodes) {
    return new PolicyVerdict(
        NOT_READY,
        OPERAND_NOT_READY,
        "ClusterPolicy is not ready; the operands that the node agent replaces stay, as the agent does not serve %s yet: `kubectl get pods -A -l app=pitcrew-agent -o wide` shows whether it is ready there, `kubectl get gpunodes` what it lacks%s"
            .formatted(
                nodes(nodes),
                leaveOutNodes
                    ? "; an agent serves no node with MPS daemons while FleetPolicy spec.agent leaves out nodes: leave out those nodes, too"
                    : ""));
  }

  private static String nodes(SortedSet<String> nodes) {
    return nodes.size() == 1
        ? "node " + nodes.first()
        : "%d nodes, the first of them %s".formatted(nodes.size(), nodes.first());
  }

  @Override
  public boolean isProgress() {
    return reason.equals(OPERAND_NOT_READY);
  }

  private static PolicyVerdict ready(PolicyPlan plan, ClusterFacts facts) {
    if (!facts.featureLabels() && (facts.hasGpuNodes() || !plan.agentLabelsNodes())) {
      return new PolicyVerdict(
          READY,
          "NFDLabelsMissing",
          "No node carries a feature.node.kubernetes.io label, without which GPU nodes are not found: "
              + (plan.agentLabelsNodes()
                  ? "the node agent has labelled no node yet; the logs of its pods say why"
                  : "install node feature discovery, or give the FleetPolicy's agent the function labels"));
    }
    return facts.hasGpuNodes()
        ? new PolicyVerdict(
            READY,
            RECONCILED,
            "ClusterPolicy is ready as all resources have been successfully reconciled")
        : new PolicyVerdict(
            READY, "NoGPUNodes", "No GPU node found, watching for new nodes to join the cluster.");
  }

  private static List<String> lacks(OperandPlan plan, Function<String, Rollout> rollouts) {
    return plan instanceof OperandPlan.Wanted wanted && wanted.operand().decidesReadiness()
        ? wanted.daemonSets().stream()
            .map(daemonSet -> rollouts.apply(daemonSet.getMetadata().getName()))
            .map(Rollout::lack)
            .flatMap(Optional::stream)
            .toList()
        : List.of();
  }
}
