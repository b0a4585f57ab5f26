package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.FleetSettings;
import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.GpuNode.InTheWay;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.ObjectNames;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// How the GPUs of a node are to be divided, how they are, and what keeps the one from the other.
///
/// @param wanted name of the layout; empty where none is wanted
/// @param current name of the layout that is in force, else what is there, such as `1g.10gb x 7`
/// @param state `Applied`, or why it is not
/// @param waitsFor pods that hold what has to go, with why they are not evicted
/// @param next what to do, or what happens; empty where nothing has to
public record MigRow(
    String node,
    boolean ok,
    String wanted,
    String current,
    String state,
    String since,
    List<String> waitsFor,
    String message,
    String next) {
  private static final String CONDITION = "MIGConfigured";
  private static final String APPLIED = "Applied";

  /// The label asks for another layout than the agent last looked at.
  private static final String LABEL_NEW = "LabelChanged";

  /// What is known of one node.
  private record Facts(GpuNode node, Map<String, String> labels, Optional<FleetSettings> settings) {
    String label(String name) {
      return labels.getOrDefault(name, "");
    }

    Optional<Condition> condition() {
      return node.condition(CONDITION);
    }

    String wanted() {
      String label = label(NodeLabels.MIG_CONFIG);
      return label.isEmpty() ? node.mig().desired() : label;
    }

    /// As an agent has it, or what NVIDIA's MIG manager writes on the Node.
    String state() {
      if (condition().isEmpty()) {
        String state = label(NodeLabels.MIG_CONFIG_STATE);
        return state.equals("success") ? APPLIED : state;
      }
      boolean isOther = !node.mig().desired().isEmpty() && !node.mig().desired().equals(wanted());
      return isOther
          ? LABEL_NEW
          : condition().filter(Condition::isTrue).map(_ -> APPLIED).orElseGet(this::reason);
    }

    String reason() {
      return condition().map(Condition::reason).orElse("");
    }
  }

  /// Nodes whose GPUs can be divided; those that do not have their layout first.
  ///
  /// @param kubeNodes empty where the user may not list them: then labels are not known
  public static List<MigRow> of(
      Collection<GpuNode> nodes,
      Optional<List<KubeNode>> kubeNodes,
      Optional<FleetSettings> settings) {
    var labels = new TreeMap<String, Map<String, String>>();
    kubeNodes.orElse(List.of()).forEach(it -> labels.put(it.name(), it.offer().labels()));
    return nodes.stream()
        .filter(it -> it.gpus().stream().anyMatch(Gpu::migCapable))
        .map(it -> row(new Facts(it, labels.getOrDefault(it.name(), Map.of()), settings)))
        .sorted(Comparator.comparing(MigRow::ok).thenComparing(MigRow::node))
        .toList();
  }

  private static MigRow row(Facts facts) {
    String state = facts.state();
    boolean ok = state.isEmpty() || state.equals(APPLIED);
    return new MigRow(
        facts.node().name(),
        ok,
        facts.wanted(),
        current(facts.node()),
        state,
        facts.condition().map(Condition::since).orElse(""),
        ok ? List.of() : facts.node().mig().inTheWay().stream().map(MigRow::pod).toList(),
        ok ? "" : message(facts, state),
        ok ? "" : next(facts, state));
  }

  private static String message(Facts facts, String state) {
    return state.equals(LABEL_NEW)
        ? "the label asks for %s, and the agent last looked at %s"
            .formatted(facts.wanted(), facts.node().mig().desired())
        : facts.condition().map(Condition::message).orElse("");
  }

  private static String current(GpuNode node) {
    if (!node.mig().actual().isEmpty()) {
      return node.mig().actual();
    }
    String devices = MigProfileRow.counts(node.gpus());
    return devices.isEmpty() ? "whole GPUs" : devices;
  }

  private static String pod(InTheWay pod) {
    return pod.blocked().isEmpty() ? pod.namespace() + "/" + pod.name() : pod.blocked();
  }

  private static String next(Facts facts, String state) {
    String node = facts.node().name();
    return switch (state) {
      case LABEL_NEW, "pending", "rebooting", "Changing", "Rebooting", "EvictingPods" ->
          "wait, the change is under way";
      case "WaitingForPods" ->
          facts.settings().filter(it -> it.busy().equals("Evict")).isPresent()
              ? "wait until they have ended"
              : delete(facts.node());
      case "Busy" -> delete(facts.node());
      case "ConfigurationInvalid", "LayoutImpossible" ->
          "kubectl label node %s --overwrite %s=all-disabled, or a layout that the message allows"
              .formatted(node, NodeLabels.MIG_CONFIG);
      case "failed" ->
          "the log of the MIG manager of the node: kubectl get pods -A -l app=nvidia-mig-manager --field-selector spec.nodeName="
              + node;
      default -> "kubectl gpu explain node " + node;
    };
  }

  /// The API server does not check names within a status.
  private static String delete(GpuNode node) {
    return node.mig().inTheWay().stream()
        .filter(it -> ObjectNames.isName(it.namespace()) && ObjectNames.isName(it.name()))
        .findFirst()
        .map(it ->
            "wait until it has ended, or: kubectl delete pod -n %s %s"
                .formatted(it.namespace(), it.name()))
        .orElse("kubectl gpu who " + node.name());
  }
}
