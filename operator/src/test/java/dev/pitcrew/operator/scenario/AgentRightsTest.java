// Long because all attempts that must be refused to an agent stand side by side.
package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/// What a node agent can do with its token: the roles that the operator gives it, under the
/// admission policies of the chart. Each line of a table is an attempt and what the API server
/// says.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class AgentRightsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String OWN = "gpu-1";
  private static final String OTHER = "other";
  private static final String FOREIGN_TAINT =
      "{\"key\": \"team\", \"value\": \"a\", \"effect\": \"NoSchedule\"}";
  private static final String OWN_TAINT =
      "{\"key\": \"pitcrew.dev/gpu-not-ready\", \"effect\": \"NoSchedule\"}";
  private static final String LIKE_OWN_TAINT =
      "{\"key\": \"pitcrew.dev/gpu-unhealthy-too\", \"effect\": \"NoSchedule\"}";
  private static final String UNHEALTHY_TAINT =
      "{\"key\": \"pitcrew.dev/gpu-unhealthy\", \"value\": \"Replace\", \"effect\": \"NoExecute\"}";

  private final ControlPlane controlPlane;
  private Scene scene;
  private AgentIdentity identity;
  private KubernetesClient agent;

  AgentRightsTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeAll
  void enter() throws IOException, InterruptedException {
    scene = Scene.running(SCENARIO, controlPlane);
    var fleet = new FleetPolicies(scene.client());
    fleet.create();
    fleet.editAgent("{\"functions\": [\"labels\", \"devicePlugin\", \"dra\"]}");
    var roles = scene.client().rbac().clusterRoleBindings();
    await().atMost(LIMIT).until(() -> roles.withName(AgentIdentity.ACCOUNT + "-dra").get() != null);
    addNode();
    mark(OWN);
    identity = new AgentIdentity(controlPlane).installPolicies();
    agent = identity.on(OWN);
    awaitPolicies();
  }

  private void addNode() {
    var node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(OTHER)
            .addToLabels("feature.node.kubernetes.io/pci-10de.present", "true")
            .addToLabels("kubernetes.io/os", "linux")
            .endMetadata()
            .build();
    scene.client().resource(node).create();
  }

  /// Cordons a node and gives it what is not the agent's.
  private void mark(String node) {
    var admin = scene.client();
    assertThat(
            List.of(
                Attempt.labels("", node, "{\"team\": \"a\"}").answerTo(admin),
                Attempt.node("", node, "{\"spec\": {\"unschedulable\": true}}").answerTo(admin),
                Attempt.taints("", node, "[" + FOREIGN_TAINT + "]").answerTo(admin)))
        .containsOnly("");
  }

  /// The API server takes a moment to know a new policy.
  private void awaitPolicies() {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(annotate(OWN, "before " + System.nanoTime()).answerTo(agent))
              .contains("pitcrew-agent-nodes");
          assertThat(event(OTHER, "default").answerTo(agent)).contains("pitcrew-agent-events");
          assertThat(gpuNode(OTHER, OTHER).answerTo(agent)).contains("pitcrew-agent-gpunodes");
          assertThat(slice(OTHER, "gpu.nvidia.com").answerTo(agent))
              .contains("pitcrew-agent-resourceslices");
        });
  }

  @AfterAll
  void leave() {
    try (var _ = scene) {
      agent.close();
      identity.removePolicies();
      new FleetPolicies(scene.client()).delete();
    }
  }

  @Test
  void itsOwnWorkIsCarriedOut() {
    var answers =
        answers(
            agent,
            List.of(
                Attempt.labels(
                    "labels of its own Node",
                    OWN,
                    "{\"nvidia.com/gpu.count\": \"8\", \"feature.node.kubernetes.io/pci-15b3.present\": \"true\"}"),
                Attempt.labels(
                    "how the division of its GPUs stands",
                    OWN,
                    "{\"nvidia.com/mig.config.state\": \"pending\"}"),
                Attempt.labels("one of them removed", OWN, "{\"nvidia.com/gpu.count\": null}"),
                Attempt.labels(
                    "the ComputeDomain that it serves",
                    OWN,
                    "{\"resource.nvidia.com/computeDomain\": \"6f1f3c1e\"}"),
                Attempt.labels(
                    "that one removed", OWN, "{\"resource.nvidia.com/computeDomain\": null}"),
                Attempt.taints(
                    "its taint added",
                    OWN,
                    "[%s,%s,%s,%s]".formatted(FOREIGN_TAINT, cordon(), OWN_TAINT, UNHEALTHY_TAINT)),
                condition("its condition", "GPUHealthy"),
                Attempt.withoutCondition("its condition removed", OWN, "GPUHealthy"),
                Attempt.taints(
                    "its taint removed", OWN, "[" + FOREIGN_TAINT + "," + cordon() + "]"),
                gpuNode(OWN, OWN),
                Attempt.status(
                    "the status of its GPUNode", OWN, "{\"driver\": {\"version\": \"580.95.05\"}}"),
                gpuNodeLabel("pitcrew.dev/health", "\"NeedsReset\""),
                gpuNodeLabel("pitcrew.dev/ready", "\"false\""),
                gpuNodeLabel("pitcrew.dev/product", "\"H100\""),
                gpuNodeLabel("pitcrew.dev/driver", "\"580.95.05\""),
                gpuNodeLabel("pitcrew.dev/health", "null"),
                event(OWN, "default"),
                podEvent("GpuUnhealthy", OWN),
                podEvent("GpuRecovered", OWN),
                podEvent("GpuMemoryNotLimited", OWN)));

    assertThat(answers.values()).as(answers.toString()).containsOnly("");
  }

  /// The taint that the node controller puts on a cordoned node.
  private String cordon() {
    await()
        .atMost(LIMIT)
        .until(
            () -> scene.client().nodes().withName(OWN).require().getSpec().getTaints().size() > 1);
    return "{\"key\": \"node.kubernetes.io/unschedulable\", \"effect\": \"NoSchedule\", \"timeAdded\": \"%s\"}"
        .formatted(
            scene.client().nodes().withName(OWN).require().getSpec().getTaints().stream()
                .filter(taint -> taint.getKey().startsWith("node.kubernetes.io/"))
                .findFirst()
                .orElseThrow()
                .getTimeAdded());
  }

  @Test
  void anotherNodeIsOutOfReach() {
    refused(
        Map.of(
            Attempt.labels("a label of another Node", OTHER, "{\"nvidia.com/gpu.count\": \"0\"}"),
            "the node agent on gpu-1 may write the Node gpu-1 only, and not other",
            Attempt.taints("its taint on another Node", OTHER, "[" + OWN_TAINT + "]"),
            "the node agent on gpu-1 may write the Node gpu-1 only, and not other",
            gpuNode(OTHER, OTHER),
            "the node agent on gpu-1 may write the GPUNode gpu-1 only, and not other",
            event(OTHER, "default"),
            "reports Events about the Node and the GPUNode gpu-1 only",
            new Attempt("another Node deleted", client -> client.nodes().withName(OTHER).delete()),
            "cannot delete resource \"nodes\""));
  }

  @Test
  void agent_changesNothingElseOfItsOwnNode() {
    refused(
        Map.of(
            Attempt.node("its Node un-cordoned", OWN, "{\"spec\": {\"unschedulable\": false}}"),
            "may not change spec.unschedulable: cordoning is for the operator and for people",
            Attempt.node("another spec", OWN, "{\"spec\": {\"providerID\": \"x\"}}"),
            "may not change spec.providerID",
            Attempt.taints("another owner's taint removed", OWN, "[" + OWN_TAINT + "]"),
            "may not change spec.taints but for its own pitcrew.dev/gpu-not-ready and pitcrew.dev/gpu-unhealthy",
            Attempt.taints(
                "another taint", OWN, "[%s,%s]".formatted(FOREIGN_TAINT, LIKE_OWN_TAINT)),
            "may not change spec.taints but for its own",
            condition("a condition of the kubelet", "Ready"),
            "may not change status.conditions but for its own GPUHealthy",
            Attempt.withoutCondition("a condition of the kubelet removed", OWN, "Ready"),
            "may not change status.conditions but for its own GPUHealthy",
            condition("a condition of no owner", "GPUHealthyToo"),
            "may not change status.conditions but for its own GPUHealthy",
            annotate(OWN, "a"),
            "may not change metadata.annotations of its Node",
            Attempt.node("a finalizer", OWN, "{\"metadata\": {\"finalizers\": [\"a.b/c\"]}}"),
            "may not change metadata.finalizers of its Node",
            Attempt.nodeStatus(
                "the status of its Node",
                OWN,
                "{\"capacity\": {\"nvidia.com/gpu\": \"99\"}, \"conditions\": [{\"type\": \"GPUHealthy\", \"status\": \"False\"}]}"),
            "may not change status.capacity of its Node, which is the kubelet's"));
    refused(
        Map.of(
            condition("the condition of another Node", OTHER, "GPUHealthy"),
            "the node agent on gpu-1 may write the Node gpu-1 only, and not other"));
  }

  @Test
  void labelsOfOthersStayTheirs() {
    var keys =
        List.of(
            "nvidia.com/gpu.deploy.driver",
            "nvidia.com/gpu.deploy.operands",
            "nvidia.com/gpu.deploy.mig-manager",
            "nvidia.com/gpu.present",
            "nvidia.com/mig.config",
            "nvidia.com/gpu-driver-upgrade-state",
            "nvidia.com/device-plugin.config",
            "nvidia.com/gpu.workload.config",
            "nvidia.com/gpu.counterfeit",
            "nvidia.com/mig-1g.5gb",
            "kubernetes.io/hostname",
            "node-role.kubernetes.io/control-plane",
            "topology.kubernetes.io/zone",
            "feature.node.kubernetes.io/cpu-cpuid.AVX",
            "team");
    for (String key : keys) {
      refused(
          Map.of(
              Attempt.labels(key + " written", OWN, "{\"%s\": \"x\"}".formatted(key)),
              "may not write the labels " + key));
    }
    refused(
        Map.of(
            Attempt.labels("another owner's label removed", OWN, "{\"team\": null}"),
            "may not write the labels team"));
  }

  @Test
  void rolloutOfAGpuNode_belongsToTheOperator() {
    var admin = scene.client();
    assertThat(gpuNode(OTHER, OTHER).answerTo(admin)).isEmpty();
    try (var other = identity.on(OTHER)) {
      var allowed = Attempt.status("", OTHER, "{\"driver\": {\"version\": \"1\"}}");
      assertThat(allowed.answerTo(other)).isEmpty();
      refusedTo(
          other,
          Map.of(
              Attempt.status("the operator's part", OTHER, "{\"rollout\": {\"phase\": \"Done\"}}"),
              "status.rollout of a GPUNode belongs to the operator",
              Attempt.status(
                  "what the operator says of evictions",
                  OTHER,
                  """
                  {"eviction": {"blocked":
                    [{"namespace": "a", "name": "b", "uid": "c", "message": "gone"}]}}
                  """),
              "status.eviction of a GPUNode belongs to the operator",
              Attempt.status(
                  "what the operator says of its driver",
                  OTHER,
                  """
                  {"driverRefusal": {"reason": "a", "message": "b", "wantedBy": "c"}}
                  """),
              "status.driverRefusal of a GPUNode belongs to the operator",
              new Attempt(
                  "a finalizer of its GPUNode",
                  client ->
                      client
                          .genericKubernetesResources(Attempt.GPU_NODES, "GPUNode")
                          .withName(OTHER)
                          .patch(
                              PatchContext.of(PatchType.JSON_MERGE),
                              "{\"metadata\": {\"finalizers\": [\"a.b/c\"]}}")),
              "may not write metadata.finalizers of its GPUNode",
              new Attempt(
                  "its GPUNode deleted",
                  client ->
                      client
                          .genericKubernetesResources(Attempt.GPU_NODES, "GPUNode")
                          .withName(OTHER)
                          .delete()),
              "cannot delete resource \"gpunodes\""));
    }
    refused(
        Map.of(
            Attempt.status("another's status", OTHER, "{\"driver\": {\"version\": \"2\"}}"),
            "the node agent on gpu-1 may write the GPUNode gpu-1 only, and not other"));
  }

  @Test
  void slicesOfAnotherNodeOrDriver_areRefused() {
    assertThat(slice(OWN, "gpu.nvidia.com").answerTo(agent)).isEmpty();
    assertThat(slice(OWN, "compute-domain.nvidia.com").answerTo(agent)).isEmpty();
    assertThat(slice(OTHER, "gpu.nvidia.com").answerTo(scene.client())).isEmpty();
    String refusal =
        "the node agent on gpu-1 writes ResourceSlices of its DRA drivers and of node gpu-1 only";
    refused(
        Map.of(
            slice(OTHER, "gpu.nvidia.com"),
            refusal,
            slice(OTHER, "compute-domain.nvidia.com"),
            refusal,
            slice(OWN, "net.example.com"),
            refusal,
            new Attempt(
                "a slice of another Node deleted",
                client ->
                    client
                        .genericKubernetesResources("resource.k8s.io/v1", "ResourceSlice")
                        .withName("slice-%s-gpu.nvidia.com".formatted(OTHER))
                        .delete()),
            refusal,
            Attempt.create(
                "a claim written",
                """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: theft, namespace: default}
                spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com}}]}}
                """),
            "cannot create resource \"resourceclaims\""));
  }

  @Test
  void aTokenThatNamesNoNodeWritesNothing() {
    try (var nowhere = identity.withoutPod()) {
      var refusal = "the token of the node agent names no node, so it may write nothing";
      refusedTo(
          nowhere,
          Map.of(
              Attempt.labels("a label", OWN, "{\"nvidia.com/gpu.count\": \"0\"}"), refusal,
              gpuNode(OWN, OWN), refusal,
              event(OWN, "default"), refusal));
    }
  }

  @Test
  void ofTheLabelsOfItsGpuNode_itWritesThoseForSelection() {
    var _ = gpuNode(OWN, OWN).answerTo(agent);
    refused(
        Map.of(
            gpuNodeLabel("team", "\"a\""),
            "may not write the labels team of its GPUNode, only pitcrew.dev/health",
            gpuNodeLabel("pitcrew.dev/healthy", "\"a\""),
            "may not write the labels pitcrew.dev/healthy of its GPUNode"));
    scene
        .client()
        .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
        .withName(OWN)
        .delete();
  }

  private static Attempt gpuNodeLabel(String key, String value) {
    return new Attempt(
        "the label %s=%s of its GPUNode".formatted(key, value),
        client ->
            client
                .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
                .withName(OWN)
                .patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    "{\"metadata\": {\"labels\": {\"%s\": %s}}}".formatted(key, value)));
  }

  @Test
  void nothingElseIsItsOwn() {
    refused(
        Map.of(
            new Attempt(
                "a secret read", client -> client.secrets().inNamespace(Scene.NAMESPACE).list()),
            "cannot list resource \"secrets\"",
            new Attempt("pods read", client -> client.pods().inAnyNamespace().list()),
            "cannot list resource \"pods\"",
            event(OWN, Scene.NAMESPACE),
            "in the namespace default",
            podEvent("Killing", OWN),
            "and of pods only that a GPU of gpu-1 is unhealthy or has recovered",
            podEvent("GpuUnhealthy", OTHER),
            "and of pods only that a GPU of gpu-1 is unhealthy or has recovered"));
  }

  @Test
  void policies_restrictNoOtherUser() throws IOException {
    try (var kubelet =
        AgentIdentity.client(
            controlPlane.kubeconfigForUser("system:node:" + OWN, "system:nodes"))) {
      var annotated = annotate(OWN, "from the kubelet").answerTo(kubelet);
      assertThat(annotated).isEmpty();
    }
    assertThat(annotate(OTHER, "a").answerTo(scene.client())).isEmpty();
    await("the operator labels a node that has come since")
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(scene.client().nodes().withName(OTHER).require().getMetadata().getLabels())
                .containsEntry("nvidia.com/gpu.deploy.driver", "true"));
  }

  @Test
  void theApiServerFindsNoFaultInThePolicies() {
    var policies = scene.client().admissionRegistration().v1().validatingAdmissionPolicies();
    for (String name : List.of("nodes", "gpunodes", "events", "resourceslices")) {
      var policy =
          await()
              .atMost(LIMIT)
              .until(
                  () -> policies.withName("pitcrew-agent-" + name).require(),
                  found ->
                      found.getStatus() != null
                          && found.getStatus().getObservedGeneration() != null);
      var checking = policy.getStatus().getTypeChecking();
      assertThat(checking == null ? List.of() : checking.getExpressionWarnings()).isEmpty();
    }
  }

  private void refused(Map<Attempt, String> expected) {
    refusedTo(agent, expected);
  }

  private static void refusedTo(KubernetesClient client, Map<Attempt, String> expected) {
    expected.forEach((attempt, refusal) -> {
      var answer = attempt.answerTo(client);
      System.out.printf("%-28s | %s%n", attempt.what(), answer);
      assertThat(answer).as(attempt.what()).contains(refusal);
    });
  }

  private static Map<String, String> answers(KubernetesClient client, List<Attempt> attempts) {
    var answers = new LinkedHashMap<String, String>();
    attempts.forEach(attempt -> answers.put(attempt.what(), attempt.answerTo(client)));
    return answers;
  }

  private static Attempt slice(String node, String driver) {
    return Attempt.create(
        "a ResourceSlice of %s for %s".formatted(driver, node),
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: slice-%s-%s}
        spec:
          driver: %s
          nodeName: %s
          pool: {name: %s, generation: 1, resourceSliceCount: 1}
          devices: [{name: gpu-0}]
        """
            .formatted(node, driver, driver, node, node));
  }

  private static Attempt annotate(String node, String note) {
    return Attempt.node(
        "an annotation",
        node,
        "{\"metadata\": {\"annotations\": {\"note\": \"%s\"}}}".formatted(note));
  }

  private Attempt gpuNode(String name, String owner) {
    return Attempt.create(
        "the GPUNode " + name,
        """
        apiVersion: pitcrew.dev/v1alpha1
        kind: GPUNode
        metadata:
          name: %s
          ownerReferences: [{apiVersion: v1, kind: Node, name: %s, uid: %s}]
        """
            .formatted(name, owner, uidOf(owner)));
  }

  /// The garbage collector takes away what belongs to another.
  private String uidOf(String node) {
    return scene.client().nodes().withName(node).require().getMetadata().getUid();
  }

  private static Attempt condition(String what, String type) {
    return condition(what, OWN, type);
  }

  private static Attempt condition(String what, String node, String type) {
    return Attempt.nodeStatus(
        what,
        node,
        "{\"conditions\": [{\"type\": \"%s\", \"status\": \"False\", \"reason\": \"Tried\"}]}"
            .formatted(type));
  }

  private static Attempt podEvent(String reason, String node) {
    return Attempt.create(
        "an Event %s about a pod on %s".formatted(reason, node),
        """
        apiVersion: events.k8s.io/v1
        kind: Event
        metadata: {generateName: agent-, namespace: %s}
        eventTime: "2026-01-01T00:00:00.000000Z"
        type: Warning
        reason: %s
        action: Try
        reportingController: pitcrew.dev/agent
        reportingInstance: test
        note: GPU-1 of node %s, which this pod holds, is not well
        regarding: {apiVersion: v1, kind: Pod, name: trainer, namespace: %s}
        """
            .formatted(Scene.NAMESPACE, reason, node, Scene.NAMESPACE));
  }

  private static Attempt event(String node, String namespace) {
    return Attempt.create(
        "an Event about " + node + " in " + namespace,
        """
        apiVersion: events.k8s.io/v1
        kind: Event
        metadata: {generateName: agent-, namespace: %s}
        eventTime: "2026-01-01T00:00:00.000000Z"
        type: Normal
        reason: Tried
        action: Try
        reportingController: pitcrew.dev/agent
        reportingInstance: test
        note: tried
        regarding: {apiVersion: v1, kind: Node, name: %s, namespace: %s}
        """
            .formatted(namespace, node, namespace.equals("default") ? "\"\"" : namespace));
  }
}
