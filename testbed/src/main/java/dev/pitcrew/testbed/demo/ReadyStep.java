package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.node.PodTrouble;
import io.fabric8.kubernetes.api.model.Event;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Watches the ClusterPolicy become ready and shows what that means for operands and nodes.
record ReadyStep(
    Screen screen, ControlPlane controlPlane, LiveCluster cluster, OperatorRun operator)
    implements Step<Policy> {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(10);
  private static final int LONGEST_MESSAGE = 170;
  private static final String PRESENT = "nvidia.com/gpu.present";
  private static final String PCI_DEVICE = "feature.node.kubernetes.io/pci-10de.present";

  @Override
  public String title() {
    return "The ClusterPolicy becomes ready";
  }

  @Override
  public Policy play(Checks checks) {
    var policy = new PolicyProgress(screen, cluster, operator.watch()).untilReady(LIMIT);
    checks.equal("the state of " + policy.name(), "ready", policy.state(), remedy(policy));
    showOperands(checks);
    showNodes(checks);
    showEvents(policy, checks);
    showCalls(checks);
    return policy;
  }

  /// The policy's own words, and those of the kubelet where it has any.
  private String remedy(Policy policy) {
    return Stream.concat(
            Stream.of(policy.message()), cluster.troubles().stream().map(PodTrouble::toString))
        .collect(Collectors.joining(". "));
  }

  private void showOperands(Checks checks) {
    // The watches of policy and DaemonSets are not in step.
    cluster.await(
        CATCH_UP_LIMIT, () -> Operand.allOf(cluster).stream().allMatch(Operand::isComplete));
    var operands = Operand.allOf(cluster);
    screen.table(Operand.table(operands));
    checks.equal(
        "operands with a ready, up-to-date pod on each of their nodes",
        Math.max(1, operands.size()),
        operands.stream().filter(Operand::isComplete).count(),
        "kubectl -n gpu-operator describe daemonset says what is missing.");
  }

  private void showNodes(Checks checks) {
    cluster.await(CATCH_UP_LIMIT, () -> withLabel(PCI_DEVICE).equals(withLabel(PRESENT)));
    screen.table(NodeLabels.table(cluster.nodes()));
    checks.equal(
        "nodes with the label " + PRESENT,
        withLabel(PCI_DEVICE),
        withLabel(PRESENT),
        "The operator labels a node when feature discovery has found a device.");
  }

  private List<String> withLabel(String label) {
    return cluster.nodes().stream()
        .filter(node -> "true".equals(node.getMetadata().getLabels().get(label)))
        .map(node -> node.getMetadata().getName())
        .toList();
  }

  private void showEvents(Policy policy, Checks checks) {
    try (var _ = screen.waiting(() -> "waiting for the Event about it")) {
      cluster.await(CATCH_UP_LIMIT, () -> announcements(policy) > 0);
    }
    screen.table(
        Table.of(
            List.of("EVENT", "REASON", "MESSAGE ABOUT " + policy.name()),
            cluster.policyEvents().stream().map(ReadyStep::cells)));
    checks.equal(
        "Events that say so",
        1,
        announcements(policy),
        "kubectl get events --field-selector involvedObject.kind=ClusterPolicy lists them all.");
  }

  private long announcements(Policy policy) {
    return cluster.policyEvents().stream()
        .filter(event -> policy.message().equals(event.getMessage()))
        .count();
  }

  private static List<String> cells(Event event) {
    var message = Objects.toString(event.getMessage(), "");
    return List.of(event.getType(), event.getReason(), Words.shortened(message, LONGEST_MESSAGE));
  }

  private void showCalls(Checks checks) {
    var calls = OperatorCalls.of(controlPlane.auditLog(), operator.user());
    screen.blank();
    screen.facts(List.of(new Fact("API calls", calls.summary())));
    checks.equal(
        "requests that the chart's roles forbid",
        "none",
        calls.forbidden().isEmpty() ? "none" : calls.forbidden(),
        "Add the right to templates/rbac-operator.yaml of the chart.");
  }
}
