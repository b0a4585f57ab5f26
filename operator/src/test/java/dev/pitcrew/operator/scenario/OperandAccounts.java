package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.gpucluster.GpuClusterPlan;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.operand.dra.DraContext;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Values;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// The accounts of all operands with their roles, two nodes, and pods of others on them. No
/// operator runs: only a test writes here.
final class OperandAccounts implements AutoCloseable {
  static final String OWN = "mine";
  static final String OTHER = "other";

  /// A namespace with the pods `here` on the own node and `there` on the other; kube-system and the
  /// operator's have them, too.
  static final String TENANT = "tenant";

  /// The driver of an NVIDIADriver.
  static final String POOL_DRIVER = "nvidia-gpu-driver-pool-a-ubuntu24.04";

  private static final String POLICY =
      "{sandboxWorkloads: {enabled: true}, vgpuManager: {enabled: true}, vfioManager: {enabled: true}}";

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Set<String> KINDS =
      Set.of("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding");
  private static final List<String> NAMESPACES = List.of(TENANT, "kube-system", Scene.NAMESPACE);
  private static final String NODE_FEATURES =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: nodefeatures.nfd.k8s-sigs.io}
      spec:
        group: nfd.k8s-sigs.io
        names: {kind: NodeFeature, plural: nodefeatures}
        scope: Namespaced
        versions:
        - name: v1alpha1
          served: true
          storage: true
          schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
      """;

  private final Scene scene;
  private final KubernetesClient admin;
  private final AgentIdentity identity;
  private final List<HasMetadata> roles;
  private final Map<String, KubernetesClient> clients = new HashMap<>();
  private final List<HasMetadata> created = new ArrayList<>();

  private OperandAccounts(Scene scene, AgentIdentity identity, AgentSpec agent) {
    this.scene = scene;
    this.roles = roles(agent);
    this.admin = scene.client();
    this.identity = identity;
  }

  /// With the reference's roles, under the admission policies of the chart with these values.
  static OperandAccounts on(ControlPlane controlPlane, Values values)
      throws IOException, InterruptedException {
    return on(controlPlane, values, AgentSpec.ABSENT);
  }

  /// With the roles that operands have beside an agent.
  static OperandAccounts on(ControlPlane controlPlane, Values values, AgentSpec agent)
      throws IOException, InterruptedException {
    var accounts =
        new OperandAccounts(Scene.set(controlPlane), new AgentIdentity(controlPlane), agent);
    accounts.prepare();
    accounts.identity.installPolicies(values);
    return accounts;
  }

  private void prepare() {
    create(new NamespaceBuilder().withNewMetadata().withName(TENANT).endMetadata().build());
    for (var node : List.of(OWN, OTHER)) {
      create(new NodeBuilder().withNewMetadata().withName(node).endMetadata().build());
    }
    roles.forEach(object -> admin.resource(object).forceConflicts().serverSideApply());
    var features = new ByteArrayInputStream(NODE_FEATURES.getBytes(StandardCharsets.UTF_8));
    admin.load(features).items().forEach(this::create);
    for (var namespace : NAMESPACES) {
      await()
          .atMost(LIMIT)
          .until(() ->
              admin.serviceAccounts().inNamespace(namespace).withName("default").get() != null);
      pod(namespace, "here", OWN);
      pod(namespace, "there", OTHER);
    }
    create(
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("scripts")
            .withNamespace(Scene.NAMESPACE)
            .endMetadata()
            .build());
  }

  /// What the operator grants operands, and an NVIDIADriver's account what the driver's has.
  private static List<HasMetadata> roles(AgentSpec agent) {
    var context = Rendered.context(POLICY, Facts.oneNode());
    var roles = new ArrayList<HasMetadata>();
    Stream<HasMetadata> resources =
        agent.isEnabled()
            ? PolicyPlan.of(context, agent).resources().stream()
            : Operands.ALL.stream().flatMap(operand -> operand.resources(context).stream());
    Stream.concat(resources, ofGpuCluster())
        .filter(object -> KINDS.contains(object.getKind()))
        .forEach(roles::add);
    roles.add(
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName(POOL_DRIVER)
            .withNamespace(Scene.NAMESPACE)
            .endMetadata()
            .build());
    roles.add(
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName(POOL_DRIVER)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "nvidia-driver")
            .addNewSubject("", "ServiceAccount", POOL_DRIVER, Scene.NAMESPACE)
            .build());
    return List.copyOf(roles);
  }

  private static Stream<HasMetadata> ofGpuCluster() {
    var spec = Policies.gpuCluster("draDriver: {computeDomains: {}}");
    return GpuClusterPlan.of(new DraContext(spec, Facts.oneNode().build(), Policies.images()))
        .resources()
        .stream();
  }

  /// The names of those that a ClusterPolicy brings to GPU nodes.
  List<String> ofPolicy() {
    var ofClaims =
        Set.of("nvidia-dra-driver-kubeletplugin", "compute-domain-daemon-service-account");
    return ofNodes().stream().filter(name -> !ofClaims.contains(name)).toList();
  }

  /// The names of those that run on GPU nodes. The controller of ComputeDomains has one pod, which
  /// prefers nodes of the control plane.
  List<String> ofNodes() {
    return roles.stream()
        .filter(object -> object.getKind().equals("ServiceAccount"))
        .map(object -> object.getMetadata().getName())
        .filter(name -> !name.equals("nvidia-dra-driver-controller"))
        .distinct()
        .toList();
  }

  /// A client with the token of a pod of that account on the own node.
  KubernetesClient as(String account) {
    return clients.computeIfAbsent(account, name -> identity.on(OWN, name));
  }

  /// A client with a token of that account that belongs to no pod.
  KubernetesClient withoutPod(String account) {
    return clients.computeIfAbsent(account + "/", _ -> identity.withoutPod(account));
  }

  KubernetesClient admin() {
    return admin;
  }

  void pod(String namespace, String name, String node) {
    create(
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .endMetadata()
            .withNewSpec()
            .withNodeName(node)
            .addNewContainer()
            .withName("work")
            .withImage("example.com/work:1")
            .endContainer()
            .endSpec()
            .build());
  }

  private void create(HasMetadata object) {
    admin.resource(object).create();
    created.add(object);
  }

  @Override
  public void close() {
    try (scene) {
      clients.values().forEach(KubernetesClient::close);
      identity.removePolicies();
      roles.forEach(object -> admin.resource(object).delete());
      created.reversed().forEach(object -> admin.resource(object).withGracePeriod(0).delete());
      // Namespaces and definitions take a moment, and the next class makes them again.
      await()
          .atMost(LIMIT)
          .until(() -> created.stream().allMatch(it -> admin.resource(it).get() == null));
    }
  }
}
