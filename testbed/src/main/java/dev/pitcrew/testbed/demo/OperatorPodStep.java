package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.node.PodTrouble;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Waits for the operator, which the kubelet of the real node runs.
record OperatorPodStep(Screen screen, ControlPlane controlPlane, LiveCluster cluster)
    implements Step<OperatorRun> {
  private static final int METRICS_PORT = 8080;
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Override
  public String title() {
    return "The kubelet runs the operator's pod";
  }

  @Override
  public OperatorRun play(Checks checks) {
    var watch = Stopwatch.start();
    var leadership = new Leadership(screen, controlPlane, cluster);
    var lease = leadership.await(LIMIT, this::isHopeful).orElseThrow(this::withoutLease);
    var pod =
        cluster.pods().stream()
            .filter(it -> it.getMetadata().getName().equals(Leadership.holder(lease)))
            .findFirst()
            .orElseThrow(() ->
                new TestbedException(
                    "the lease is held by %s, which is no pod of the chart"
                        .formatted(Leadership.holder(lease))));
    var user = leadership.lastWriterOf(lease);
    show(pod, lease, user, watch);
    checks.equal("the operator's pod is", "Running", phase(pod), "Its log says why.");
    checks.equal(
        "the operator acts as",
        "system:serviceaccount:%s:%s"
            .formatted(pod.getMetadata().getNamespace(), pod.getSpec().getServiceAccountName()),
        user,
        "The audit log names the user of every request.");
    return run(pod, user, watch);
  }

  private boolean isHopeful() {
    cluster.requireImages();
    return true;
  }

  private TestbedException withoutLease() {
    var troubles =
        cluster.troubles().stream().map(PodTrouble::toString).collect(Collectors.joining("; "));
    return new TestbedException(
        "the operator has not taken its lease within %s%s"
            .formatted(Words.of(LIMIT), troubles.isEmpty() ? "" : "; " + troubles));
  }

  private void show(Pod pod, Lease lease, String user, Stopwatch watch) {
    var container = pod.getSpec().getContainers().getFirst();
    screen.facts(
        List.of(
            new Fact(
                "pod",
                "%s on %s, %s, address %s"
                    .formatted(
                        pod.getMetadata().getName(),
                        pod.getSpec().getNodeName(),
                        phase(pod),
                        pod.getStatus().getPodIP())),
            new Fact("image", container.getImage()),
            new Fact("arguments", String.join(" ", container.getArgs())),
            new Fact("acts as", user),
            new Fact(
                "leads",
                "%s after %s"
                    .formatted(lease.getMetadata().getName(), Words.of(watch.elapsed())))));
  }

  private OperatorRun run(Pod pod, String user, Stopwatch watch) {
    var metadata = pod.getMetadata();
    return new OperatorRun(
        user,
        URI.create("http://%s:%d/metrics".formatted(pod.getStatus().getPodIP(), METRICS_PORT)),
        watch,
        () -> isRunningStill(metadata.getName()),
        "kubectl -n %s logs -f %s".formatted(metadata.getNamespace(), metadata.getName()));
  }

  /// Whether its container has not been started again.
  private boolean isRunningStill(String name) {
    return pod(name)
        .filter(pod -> phase(pod).equals("Running"))
        .filter(pod ->
            pod.getStatus().getContainerStatuses().stream()
                .allMatch(status -> status.getRestartCount() == 0))
        .isPresent();
  }

  private Optional<Pod> pod(String name) {
    return cluster.pods().stream()
        .filter(pod -> pod.getMetadata().getName().equals(name))
        .findFirst();
  }

  private static String phase(Pod pod) {
    return pod.getStatus().getPhase();
  }
}
