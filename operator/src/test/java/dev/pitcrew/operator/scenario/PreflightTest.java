package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The images of a new driver are pulled on one node of each pool before any of them is touched.
@WithControlPlane
class PreflightTest {
  private static final String FIRST = UpgradeFleet.name(1);
  private static final String LAST = UpgradeFleet.name(3);
  private static final String KERNEL = "feature.node.kubernetes.io/kernel-version.full";

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final NodeReports reports;
  private Scene scene;
  private FleetPolicies policies;
  private UpgradeFleet fleet;

  /// @param kwok runs the pods of the simulated nodes, and knows which images there are
  PreflightTest(ControlPlane controlPlane, SimulatedNodes kwok) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.reports = new NodeReports(client);
  }

  @BeforeEach
  void enter() throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
    fleet = UpgradeFleet.create(client, 3);
    client
        .nodes()
        .withName(LAST)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"%s\":\"6.8.0-404-generic\"}}}".formatted(KERNEL));
    policies = new FleetPolicies(client);
    policies.create();
    policies.edit("{\"agent\": {\"enabled\": false}, \"rollout\": {\"preflight\": true}}");
    scene.install("default-one-gpu-node");
    fleet.awaitDone();
  }

  @AfterEach
  void leave() {
    reports.delete();
    policies.delete();
    fleet.close();
    scene.close();
  }

  @Test
  void whatCannotBePulledTouchesNoNodeAndGoesOnOnceItCan() {
    reportOn(FIRST);
    scene.policy().edit("{\"driver\": {\"version\": \"404.10.01\"}}");

    awaitBlocker(FIRST, "driver:404.10.01", "cannot be pulled on node upgraded-1", "not found");
    System.out.println(rollout(FIRST));
    assertThat(fleet.states().values()).containsOnly("upgrade-required");
    assertThat(fleet.mostCordoned()).isZero();
    assertThat(fleet.told(FIRST)).anyMatch(it -> it.contains("cannot be pulled by pod"));
    Pod pod = preflights().getFirst();
    assertThat(preflights()).as("pods that pull").hasSize(1);
    assertIsHarmless(pod);

    arrives(pod); // somebody publishes the image, and the kubelet tries again
    fleet.awaitSome("pod-restart-required");

    scene
        .policy()
        .edit(
            "{\"driver\": {\"version\": \"600.40.01\", \"upgradePolicy\": {\"maxUnavailable\": 2}}}");
    fleet.awaitDriver("600.40.01");
    awaitNoPreflight();
    fleet.assertClean();
  }

  @Test
  void aKernelWithoutAPrecompiledDriverHoldsUpNoOther() {
    scene.policy().edit("{\"driver\": {\"usePrecompiled\": true, \"version\": \"600\"}}");
    fleet.awaitDriver(":600-");
    reportOn(LAST);

    scene.policy().edit("{\"driver\": {\"version\": \"604\"}}");
    fleet.awaitState(FIRST, "upgrade-done");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.drivers().entrySet())
                .filteredOn(it -> it.getValue().contains(":604-"))
                .hasSize(2));
    awaitBlocker(LAST, ":604-6.8.0-404-generic", "for kernel 6.8.0-404-generic cannot be pulled");
    System.out.println(rollout(LAST));
    assertThat(rollout(LAST)).contains("set spec.driver.version to one that has it");
    assertThat(fleet.states()).containsEntry(LAST, "upgrade-required");
    assertThat(fleet.drivers().get(LAST)).contains(":600-");
    assertThat(fleet.node(LAST).getSpec().getUnschedulable()).isNotEqualTo(true);
  }

  @Test
  void aDryRunSaysWhatItWouldDo() throws InterruptedException {
    policies.edit("{\"rollout\": {\"dryRun\": true}}");
    reportOn(FIRST);
    scene.policy().edit("{\"driver\": {\"version\": \"600.40.03\"}}");

    awaitBlocker(FIRST, "the roll-out is a dry run");
    scene.settle();
    assertThat(fleet.mostCordoned()).isZero();
    assertThat(preflights()).isEmpty();
    assertThat(fleet.drivers().values()).noneMatch(it -> it.contains("600.40.03"));

    policies.edit("{\"rollout\": {\"dryRun\": false}}");
    fleet.awaitDriver("600.40.03");
    awaitNoPreflight();
  }

  private static void assertIsHarmless(Pod pod) {
    assertThat(pod.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getKind()).isEqualTo("DaemonSet"));
    assertThat(pod.getSpec().getVolumes()).isEmpty();
    assertThat(pod.getSpec().getHostPID()).isNotEqualTo(true);
    assertThat(pod.getSpec().getTolerations()).anyMatch(it -> "nvidia.com/gpu".equals(it.getKey()));
    assertThat(pod.getSpec().getContainers())
        .allSatisfy(container -> {
          assertThat(container.getResources().getLimits()).isNullOrEmpty();
          assertThat(container.getSecurityContext().getPrivileged()).isNotEqualTo(true);
          assertThat(container.getSecurityContext().getCapabilities().getDrop())
              .containsExactly("ALL");
        })
        .anyMatch(container -> container.getImage().contains("k8s-driver-manager"));
  }

  private List<Pod> preflights() {
    return client
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "nvidia-driver-preflight")
        .list()
        .getItems();
  }

  private void awaitNoPreflight() {
    await().atMost(UpgradeFleet.LIMIT).until(() -> preflights().isEmpty());
  }

  /// Speaks for the kubelet.
  private void arrives(Pod pod) {
    pod.getStatus()
        .getContainerStatuses()
        .forEach(container -> {
          container.setImageID("sha256:1");
          container.getState().setWaiting(null);
        });
    client.resource(pod).patchStatus();
  }

  private void reportOn(String node) {
    reports.reportOn(node);
  }

  private void awaitBlocker(String node, String... words) {
    reports.awaitWords(node, words);
  }

  private String rollout(String node) {
    return reports.of(node);
  }
}
