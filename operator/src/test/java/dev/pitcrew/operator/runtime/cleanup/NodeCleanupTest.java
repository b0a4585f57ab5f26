package dev.pitcrew.operator.runtime.cleanup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.operator.command.CleanupOptions;
import dev.pitcrew.operator.runtime.crds.ManageCrds;
import dev.pitcrew.operator.runtime.upgrade.UpgradeTraces;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What an uninstall takes off nodes where no operator runs.
@WithControlPlane
class NodeCleanupTest {
  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final StringWriter errors = new StringWriter();

  NodeCleanupTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
  }

  @Test
  void nodesLoseWhatAPolicyHasBroughtEvenIfNoOperatorRuns() {
    var labels =
        Map.of(
            "nvidia.com/gpu.present", "true",
            "nvidia.com/gpu.deploy.driver", "true",
            "nvidia.com/gpu.deploy.device-plugin", "paused-for-driver-upgrade",
            "nvidia.com/gpu.deploy.dcgm", "false",
            "team", "a");
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("labelled")
                .withLabels(labels)
                .addToAnnotations("nvidia.com/gpu-driver-upgrade-enabled", "true")
                .endMetadata()
                .withNewSpec()
                .addNewTaint("NoSchedule", "pitcrew.dev/gpu-unhealthy", null, "NeedsReset")
                .addNewTaint("NoSchedule", "team", null, "a")
                .addNewTaint("NoSchedule", "pitcrew.dev/gpu-not-ready", null, null)
                .endSpec()
                .build())
        .create();
    client
        .nodes()
        .withName("labelled")
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            """
            {"status": {"conditions": [
              {"type": "Ready", "status": "False", "reason": "KubeletNotReady"},
              {"type": "GPUHealthy", "status": "False", "reason": "GpuUnhealthy"}]}}
            """);

    assertThat(cleanup(Duration.ofSeconds(30))).isZero();

    var node = client.nodes().withName("labelled").get();
    assertThat(node.getSpec().getTaints()).extracting(it -> it.getKey()).contains("team");
    assertThat(node.getSpec().getTaints())
        .extracting(it -> it.getKey())
        .noneMatch(it -> it.startsWith("pitcrew.dev/"));
    assertThat(node.getStatus().getConditions())
        .extracting(NodeCondition::getType)
        .containsExactly("Ready");
    var left = node.getMetadata();
    assertThat(left.getLabels())
        .containsOnly(
            entry("nvidia.com/gpu.present", "true"),
            entry("nvidia.com/gpu.deploy.dcgm", "false"),
            entry("team", "a"));
    assertThat(left.getAnnotations()).doesNotContainKey("nvidia.com/gpu-driver-upgrade-enabled");
  }

  @Test
  void nodesLoseWhatAgentsHaveApplied() {
    apply("the-agent", "pitcrew-agent", Map.of("nvidia.com/gpu.count", "8", "team", "a"));
    apply("the-agent", "another", Map.of("nvidia.com/gpu.present", "true", "team", "a"));

    assertThat(cleanup(Duration.ofSeconds(30))).isZero();

    assertThat(client.nodes().withName("the-agent").get().getMetadata().getLabels())
        .containsOnly(entry("nvidia.com/gpu.present", "true"), entry("team", "a"));
  }

  @Test
  void cordonsOfUpgradesAreLiftedAndNoOther() {
    cordoned(
        "mid-upgrade", "drain-required", Map.of("pitcrew.dev/driver-upgrade-cordoned", "true"));
    // The reference notes only a cordon of another owner.
    cordoned("by-the-reference", "pod-restart-required", Map.of());
    cordoned(
        "before-the-upgrade",
        "drain-required",
        Map.of("nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable", "true"));
    cordoned("by-another", "", Map.of());
    cordoned(
        "noted-only",
        "",
        Map.of(
            "pitcrew.dev/driver-upgrade-cordoned", "true",
            "pitcrew.dev/driver-upgrade-since", "2026-11-27T10:00:00Z",
            "nvidia.com/gpu-driver-upgrade.driver-wait-for-safe-load", "noted-only",
            "pitcrew.dev/driver-manager-waits-for", "pod default/job"));

    assertThat(cleanup(Duration.ofSeconds(30))).isZero();

    assertThat(List.of("mid-upgrade", "by-the-reference", "noted-only"))
        .noneMatch(this::isCordoned);
    assertThat(List.of("before-the-upgrade", "by-another")).allMatch(this::isCordoned);
    assertThat(client.nodes().withLabel("test", "cordoned").list().getItems())
        .hasSize(5)
        .extracting(HasMetadata::getMetadata)
        .allSatisfy(left -> {
          assertThat(left.getLabels()).containsOnlyKeys("test");
          assertThat(left.getAnnotations().keySet())
              .noneMatch(it -> it.startsWith("nvidia.com/") || it.startsWith("pitcrew.dev/"));
        });
  }

  private void cordoned(String name, String state, Map<String, String> annotations) {
    var node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels("test", "cordoned")
            .withAnnotations(annotations)
            .endMetadata()
            .withNewSpec()
            .withUnschedulable(true)
            .endSpec()
            .build();
    if (!state.isEmpty()) {
      node.getMetadata().getLabels().put("nvidia.com/gpu-driver-upgrade-state", state);
    }
    client.resource(node).create();
  }

  private boolean isCordoned(String node) {
    return Boolean.TRUE.equals(client.nodes().withName(node).get().getSpec().getUnschedulable());
  }

  @Test
  void aNodeThatHasChangedIsNotUncordonedByWhatWasSeenBefore() {
    cordoned("changes", "drain-required", Map.of());
    var seen = client.nodes().withName("changes").get();
    apply("changes", "another", Map.of("team", "a"));

    assertThat(UpgradeTraces.remove(new Applier(client, FieldManager.OPERATOR), seen)).isFalse();

    assertThat(isCordoned("changes")).isTrue();
    client.nodes().withName("changes").delete();
  }

  @Test
  void nodesThatTimeIsTooShortForAreNamed() {
    cordoned("too-late", "drain-required", Map.of());

    assertThat(cleanup(Duration.ZERO)).isEqualTo(1);

    assertThat(errors.toString())
        .contains(
            "labels, taints or a cordon are left on Node/too-late (the time was up); run this");
    client.nodes().withName("too-late").delete();
  }

  /// The API server hands nodes out in pages of 200.
  @Test
  void nodesOfLaterPagesLoseThemToo() {
    for (int i = 0; i < Soak.amount(201, 5_000); i++) {
      apply("many-%03d".formatted(i), "test", Map.of("nvidia.com/gpu.deploy.driver", "true"));
    }

    assertThat(cleanup(Duration.ofMinutes(4))).isZero();

    assertThat(client.nodes().withLabel("nvidia.com/gpu.deploy.driver").list().getItems())
        .isEmpty();
  }

  private void apply(String node, String manager, Map<String, String> labels) {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(node)
                .withLabels(labels)
                .endMetadata()
                .build())
        .fieldManager(manager)
        .serverSideApply();
  }

  private int cleanup(Duration timeout) {
    var out = new PrintWriter(new StringWriter());
    var err = new PrintWriter(errors, true);
    var definitions = new ManageCrds(_ -> open(), List::of, out, err);
    return new Cleanup(_ -> open(), definitions, out, err)
        .run(new CleanupOptions("default", "", timeout, false));
  }

  private KubernetesClient open() {
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(controlPlane.kubeconfigFile().toFile()))
        .build();
  }
}
