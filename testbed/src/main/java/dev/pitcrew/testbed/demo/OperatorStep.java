package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorPod;
import dev.pitcrew.testbed.operator.OperatorProgram;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Runs the operator as its pod would run it, with the rights that the chart gives to the pod.
record OperatorStep(
    Screen screen, ControlPlane controlPlane, LiveCluster cluster, OperatorProgram program)
    implements Step<OperatorRun> {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Override
  public String title() {
    return "The operator starts";
  }

  @Override
  public OperatorRun play(Checks checks) {
    screen.text(
        "Simulated pods run nothing, so the operator runs beside the cluster: a process with its"
            + " pod's arguments and variables, and a token of its service account.");
    var pod = pod();
    var account = pod.getSpec().getServiceAccountName();
    var namespace = pod.getMetadata().getNamespace();
    var kubeconfig = controlPlane.kubeconfigFor(namespace, account);
    var addresses = OperatorAddresses.free();
    var command = OperatorPod.launch(pod).commandLine(program, kubeconfig, addresses);
    var watch = Stopwatch.start();
    var process = controlPlane.directory().start("operator", command);
    var leadership = new Leadership(screen, controlPlane, cluster);
    var lease = leadership.await(LIMIT, process::isAlive).orElseThrow(() -> withoutLease(process));
    var user = leadership.lastWriterOf(lease);
    show(pod, lease, user, watch);
    checks.equal(
        "the lease's holder",
        pod.getMetadata().getName(),
        Leadership.holder(lease),
        "Another operator runs on this cluster.");
    checks.equal(
        "the operator acts as",
        "system:serviceaccount:%s:%s".formatted(namespace, account),
        user,
        "The audit log names the user of every request.");
    return new OperatorRun(
        user, addresses.metrics(), watch, process::isAlive, "tail -f " + process.log());
  }

  private void show(Pod pod, Lease lease, String user, Stopwatch watch) {
    screen.facts(
        List.of(
            new Fact(
                "pod",
                "%s on %s, %s, simulated"
                    .formatted(
                        pod.getMetadata().getName(),
                        pod.getSpec().getNodeName(),
                        pod.getStatus().getPhase())),
            new Fact(
                "arguments", String.join(" ", pod.getSpec().getContainers().getFirst().getArgs())),
            new Fact("acts as", user),
            new Fact(
                "leads",
                "%s after %s"
                    .formatted(lease.getMetadata().getName(), Words.of(watch.elapsed())))));
  }

  /// The pod that the chart's Deployment has brought about.
  private Pod pod() {
    try (var _ = screen.waiting(() -> "waiting for the operator's pod to be scheduled")) {
      cluster.await(LIMIT, () -> scheduledPod().isPresent());
    }
    return scheduledPod()
        .orElseThrow(() ->
            new TestbedException(
                "the chart's Deployment has no pod that is ready; kubectl -n gpu-operator"
                    + " describe deployment,pod says why"));
  }

  private Optional<Pod> scheduledPod() {
    return cluster.pods().stream().filter(Readiness::isPodReady).findFirst();
  }

  private static TestbedException withoutLease(GuardedProcess process) {
    return new TestbedException(
        process.isAlive()
            ? "the operator has not taken its lease within " + Words.of(LIMIT)
            : "the operator ended before it took its lease; is it built?");
  }
}
