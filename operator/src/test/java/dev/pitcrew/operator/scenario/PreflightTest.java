package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The images of a new driver are pulled on one node of each pool before any of them is touched.
class PreflightTest extends UpgradeTest {
  private static final String KERNEL = "feature.node.kubernetes.io/kernel-version.full";

  @Override
  void enter() throws IOException, InterruptedException {
    fleet.grow(3);
    fleet.label(THIRD, KERNEL, "\"6.8.0-404-generic\"");
    policies.create();
    policies.edit("{\"agent\": {\"enabled\": false}, \"rollout\": {\"preflight\": true}}");
    scene.serve("default-one-gpu-node");
    fleet.awaitDone();
  }

  @Test
  void imageThatCannotBePulled_touchesNoNode_andTheRolloutContinuesOnceItCan() {
    reports.reportOn(FIRST);
    scene.policy().edit("{\"driver\": {\"version\": \"404.10.01\"}}");

    reports.awaitWords(
        FIRST, "driver:404.10.01", "cannot be pulled on node upgraded-1", "not found");
    System.out.println(reports.of(FIRST));
    assertThat(fleet.states().values()).containsOnly("upgrade-required");
    assertThat(fleet.mostCordoned()).isZero();
    assertThat(fleet.events(FIRST)).anyMatch(it -> it.contains("cannot be pulled by pod"));
    Pod pod = preflights().getFirst();
    assertThat(preflights()).as("pods that pull").hasSize(1);
    assertIsHarmless(pod);

    arrives(pod); // the image is published, and the kubelet tries again
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
    reports.reportOn(THIRD);

    scene.policy().edit("{\"driver\": {\"version\": \"604\"}}");
    fleet.awaitState(FIRST, "upgrade-done");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.drivers().entrySet())
                .filteredOn(it -> it.getValue().contains(":604-"))
                .hasSize(2));
    reports.awaitWords(
        THIRD, ":604-6.8.0-404-generic", "for kernel 6.8.0-404-generic cannot be pulled");
    System.out.println(reports.of(THIRD));
    assertThat(reports.of(THIRD)).contains("set spec.driver.version to one that has it");
    assertThat(fleet.states()).containsEntry(THIRD, "upgrade-required");
    assertThat(fleet.drivers().get(THIRD)).contains(":600-");
    assertThat(fleet.node(THIRD).getSpec().getUnschedulable()).isNotEqualTo(true);
  }

  @Test
  void aDryRunSaysWhatItWouldDo() throws InterruptedException {
    policies.edit("{\"rollout\": {\"dryRun\": true}}");
    reports.reportOn(FIRST);
    scene.policy().edit("{\"driver\": {\"version\": \"600.40.03\"}}");

    reports.awaitWords(FIRST, "the roll-out is a dry run");
    scene.settle();
    assertThat(fleet.mostCordoned()).isZero();
    assertThat(preflights()).isEmpty();
    assertThat(fleet.drivers().values()).noneMatch(it -> it.contains("600.40.03"));

    policies.edit("{\"rollout\": {\"dryRun\": false}}");
    fleet.awaitDriver("600.40.03");
    awaitNoPreflight();
  }

  @Test
  void podThatTheClusterRefuses_isReported_andCreatedOnceItIsAllowed() {
    reports.reportOn(FIRST);
    var refused =
        new PodBuilder()
            .withNewMetadata()
            .withName("a-preflight")
            .withNamespace("default")
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("probe")
            .withImage("probe")
            .endContainer()
            .endSpec()
            .build();
    var rule = "!object.metadata.name.contains('-preflight')";
    try (var _ = AdmissionPolicy.refuse(scene, "", "pods", rule, refused)) {
      scene.policy().edit("{\"driver\": {\"version\": \"600.40.04\"}}");
      reports.awaitWords(
          FIRST,
          "the API server refused pod nvidia-driver-daemonset-preflight-",
          AdmissionPolicy.MESSAGE,
          "allow the pod, or set FleetPolicy spec.rollout.preflight to false");
      System.out.println(reports.of(FIRST));
      assertThat(fleet.mostCordoned()).isZero();
    }
    fleet.awaitDriver("600.40.04");
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
}
