package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Leaves a cluster as the NVIDIA GPU Operator does: its operands at work on all nodes, their
/// DaemonSets written by it, and nothing of ours but the release.
///
/// Its operator is not here. Ours writes the same objects while the agent is off, which `make
/// parity` compares with recordings of its DaemonSets, order included; then it ends, and each
/// DaemonSet is made again under the other name.
record ReferenceStep(
    Screen screen, ControlPlane controlPlane, LiveCluster cluster, GpuServer server)
    implements Step<Map<String, String>> {
  private static final String NAMESPACE = "gpu-operator";
  private static final String MANAGER = "gpu-operator";
  private static final String HASH = "nvidia.com/last-applied-hash";
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Override
  public String title() {
    return "The operands of the NVIDIA GPU Operator are at work on every node";
  }

  /// @return the operands' pods by name, with their UIDs
  @Override
  public Map<String, String> play(Checks checks) {
    var policy = new PolicyProgress(screen, cluster, Stopwatch.start()).untilReady(LIMIT);
    checks.equal(
        "the state of " + policy.name(),
        "ready",
        policy.state(),
        policy.message() + " " + cluster.troubles());
    endOperator();
    client().genericKubernetesResources(Definitions.FLEET_POLICY).withName("fleet").delete();
    var before = pods();
    cluster.daemonSets().forEach(this::rewrite);
    try (var _ = screen.waiting(() -> "waiting until each DaemonSet has its pods again")) {
      cluster.await(
          LIMIT,
          () ->
              Operand.allOf(cluster).stream().allMatch(Operand::isComplete)
                  && pods().equals(before));
    }
    screen.table(Operand.table(Operand.allOf(cluster)));
    screen.blank();
    screen.facts(
        List.of(
            new Fact("written by", writers()),
            new Fact("GPUs of " + server.name(), facts().allocatable()),
            new Fact("ClusterPolicy", policy.state())));
    checks.equal("pods that stay", before, pods(), "A DaemonSet adopts pods of its revision.");
    checks.equal(
        "who wrote the DaemonSets", MANAGER, writers(), "kubectl get ds --show-managed-fields");
    checks.equal(
        "GPUs that " + server.name() + " offers",
        String.valueOf(RealNodeStep.GPUS),
        facts().allocatable(),
        "The log of the device plugin's pod says what it registered.");
    return before;
  }

  private void endOperator() {
    client().apps().deployments().inNamespace(NAMESPACE).withName("gpu-operator").scale(0);
    boolean isGone =
        cluster.await(
            Duration.ofMinutes(1),
            () ->
                cluster.pods().stream()
                    .noneMatch(pod -> pod.getMetadata().getName().startsWith("gpu-operator-")));
    if (!isGone) {
      throw new TestbedException("the operator's pod does not end");
    }
  }

  /// Its pods and revisions are left without an owner, and the new one adopts them.
  private void rewrite(DaemonSet daemonSet) {
    var metadata = daemonSet.getMetadata();
    var resource = client().resource(daemonSet);
    resource.withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    cluster.await(
        LIMIT,
        () ->
            cluster.daemonSets().stream()
                .noneMatch(it -> it.getMetadata().getUid().equals(metadata.getUid())));
    var fresh = client().getKubernetesSerialization().clone(daemonSet);
    fresh.setStatus(new DaemonSetStatus());
    var again = fresh.getMetadata();
    again.setUid(null);
    again.setResourceVersion(null);
    again.setCreationTimestamp(null);
    again.setGeneration(null);
    again.setManagedFields(List.of());
    again.getAnnotations().put(HASH, "1234567890");
    client()
        .raw(
            "/apis/apps/v1/namespaces/%s/daemonsets?fieldManager=%s".formatted(NAMESPACE, MANAGER),
            "POST",
            fresh);
  }

  /// Of all but the status.
  private String writers() {
    return String.join(
        ", ",
        cluster.daemonSets().stream()
            .flatMap(it -> it.getMetadata().getManagedFields().stream())
            .filter(it -> it.getSubresource() == null)
            .map(it -> it.getManager())
            .distinct()
            .sorted()
            .toList());
  }

  private Map<String, String> pods() {
    var pods = new TreeMap<String, String>();
    cluster.pods().stream()
        .filter(pod ->
            pod.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getKind().equals("DaemonSet")))
        .forEach(pod -> pods.put(pod.getMetadata().getName(), pod.getMetadata().getUid()));
    return pods;
  }

  private NodeFacts facts() {
    return new NodeFacts(cluster, server.name());
  }

  private KubernetesClient client() {
    return controlPlane.client();
  }
}
