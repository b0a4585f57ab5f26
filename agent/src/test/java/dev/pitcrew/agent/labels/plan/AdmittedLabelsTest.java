package dev.pitcrew.agent.labels.plan;

import static dev.pitcrew.agent.labels.plan.TestGpu.gpu;
import static dev.pitcrew.agent.labels.plan.TestGpu.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.config.Configs;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.hardware.pci.PciDevice;
import dev.pitcrew.hardware.pci.VirtualGpu;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The chart's admission policy holds the agent to a list of label keys. A key that the agent
/// writes and the list lacks would cost a node all its labels: so all of them are written here, to
/// a real API server with that policy.
@WithControlPlane
class AdmittedLabelsTest {
  private static final Path CHART = Path.of("..", "charts", "pitcrew");
  private static final String NAMESPACE = "gpu-operator";
  private static final String ACCOUNT = "pitcrew-agent";
  private static final String NODE = "labelled";
  private static final Set<String> POLICIES =
      Set.of("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");

  /// Every way in which NVML spells the profile of a MIG device.
  private static final List<MigProfile> PROFILES =
      List.of(
          new MigProfile(1, 1, 5, ""),
          new MigProfile(1, 1, 5, "+me"),
          new MigProfile(1, 1, 12, "-me"),
          new MigProfile(1, 1, 24, "+me.all"),
          new MigProfile(2, 2, 35, "+gfx"),
          new MigProfile(1, 3, 20, ""),
          new MigProfile(7, 7, 180, ""));

  private final ControlPlane controlPlane;
  private final KubernetesClient admin;

  AdmittedLabelsTest(ControlPlane controlPlane, KubernetesClient admin) {
    this.controlPlane = controlPlane;
    this.admin = admin;
  }

  @Test
  void everyLabelThatTheAgentWritesIsAdmitted() {
    prepare();
    try (var agent = agentOnNode()) {
      await().atMost(Duration.ofSeconds(60)).until(() -> isHeld(agent));

      var labels = everyLabel();
      assertThat(labels).hasSizeGreaterThan(130);
      assertThat(refusal(agent, labels)).isEmpty();
      assertThat(refusal(agent, Map.of())).as("and taken away").isEmpty();
      assertThat(admin.nodes().withName(NODE).require().getMetadata().getLabels()).isNullOrEmpty();
      assertThat(refusal(agent, Map.of(NodeLabels.GPU_PRESENT, "true")))
          .as("which nodes are GPU nodes is for the operator to say")
          .contains("the labels nvidia.com/gpu.present");
    }
  }

  /// Whether the API server knows the policy already, asked by a write that is not carried out.
  private static boolean isHeld(KubernetesClient agent) {
    var dryRun =
        new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withDryRun(List.of("All"))
            .build();
    try {
      agent.nodes().withName(NODE).patch(dryRun, "{\"metadata\": {\"labels\": {\"team\": \"a\"}}}");
      return false;
    } catch (KubernetesClientException e) {
      return String.valueOf(e.getMessage()).contains("the labels team");
    }
  }

  private static SortedMap<String, String> everyLabel() {
    var labels = new TreeMap<String, String>();
    labels.putAll(features());
    var whole = gpu("A").clique(new UUID(1, 2), 3);
    labels.putAll(gpuLabels("", whole));
    for (MigProfile profile : PROFILES) {
      labels.putAll(gpuLabels("flags: {migStrategy: single}", gpu("A").divided(profile)));
      labels.putAll(gpuLabels("flags: {migStrategy: mixed}", gpu("A").divided(profile)));
    }
    return labels;
  }

  private static SortedMap<String, String> gpuLabels(String config, TestGpu gpu) {
    var machine =
        new MachineFacts(Optional.of("M"), List.of(new VirtualGpu.Present("460.16", "r460_00")));
    var labelling =
        GpuLabels.of(node(gpu), machine, Configs.labels(config), InstantSource.system());
    return ((Labelling.Labels) labelling).labels();
  }

  /// All but the labels of integrated GPUs.
  private static SortedMap<String, String> features() {
    var osRelease =
        "ID=rhcos\nVERSION_ID=\"4.16\"\nOSTREE_VERSION=416.94\nRHEL_VERSION=9.4\nOPENSHIFT_VERSION=4.16\n";
    var modules = "nvidia_fs 1 0 - Live\ngdrdrv 2 0 - Live\nnvidia_peermem 1 0 - Live\n";
    var files = new FeatureFacts.Files(osRelease, "CPU implementer\t: 0x4e\n", modules, "");
    var functions =
        List.of(
            function(0x10de, 0x030200),
            function(0x10de, 0x030000),
            function(0x10de, 0x120000),
            function(0x15b3, 0x020700),
            function(0x1002, 0x030000));
    return FeatureLabels.of(new FeatureFacts(functions, "6.8.0-31-generic", files));
  }

  private static PciDevice function(int vendor, int pciClass) {
    return new PciDevice(
        "0000:01:00.0",
        new PciDevice.Identity(vendor, 1, 0, 0),
        pciClass,
        OptionalInt.empty(),
        OptionalInt.of(8),
        false,
        Optional.empty());
  }

  /// What the API server says to these labels, and no others, from the agent's field manager.
  private static String refusal(KubernetesClient agent, Map<String, String> labels) {
    var node =
        new NodeBuilder().withNewMetadata().withName(NODE).withLabels(labels).endMetadata().build();
    try {
      agent.resource(node).fieldManager("pitcrew-agent").forceConflicts().serverSideApply();
      return "";
    } catch (KubernetesClientException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private void prepare() {
    apply(
        """
        ---
        {apiVersion: v1, kind: Namespace, metadata: {name: %1$s}}
        ---
        {apiVersion: v1, kind: ServiceAccount, metadata: {name: %2$s, namespace: %1$s}}
        ---
        {apiVersion: v1, kind: Node, metadata: {name: %3$s}}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: all-to-the-agent}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
        subjects: [{kind: ServiceAccount, name: %2$s, namespace: %1$s}]
        """
            .formatted(NAMESPACE, ACCOUNT, NODE));
    var manifests =
        Chart.withBuiltImage(CHART)
            .template(new ReleaseName(NAMESPACE, "gpu-operator"), Values.DEFAULTS);
    admin.load(stream(manifests)).items().stream()
        .filter(object -> POLICIES.contains(object.getKind()))
        .forEach(object -> admin.resource(object).forceConflicts().serverSideApply());
  }

  private void apply(String yaml) {
    admin
        .load(stream(yaml))
        .items()
        .forEach(object -> admin.resource(object).forceConflicts().serverSideApply());
  }

  private KubernetesClient agentOnNode() {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("agent")
            .withNamespace(NAMESPACE)
            .endMetadata()
            .withNewSpec()
            .withServiceAccountName(ACCOUNT)
            .withNodeName(NODE)
            .addNewContainer()
            .withName("agent")
            .withImage("example.com/pitcrew:1")
            .endContainer()
            .endSpec()
            .build();
    var kubeconfig = controlPlane.kubeconfigFor(admin.resource(pod).create());
    var config = Config.fromKubeconfig(kubeconfig.toFile());
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static ByteArrayInputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
