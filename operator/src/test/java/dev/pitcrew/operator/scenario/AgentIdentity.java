package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.Set;

/// The service account of the node agent, as its pods have it: with the roles that the operator
/// gives it and the admission policies of the chart.
record AgentIdentity(ControlPlane controlPlane) {
  static final String ACCOUNT = "pitcrew-agent";

  private static final Set<String> POLICIES =
      Set.of("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");

  /// Brings the chart's admission policies to the cluster.
  AgentIdentity installPolicies() {
    var client = controlPlane.client();
    OperatorRights.ofChart(POLICIES, client)
        .forEach(object -> client.resource(object).forceConflicts().serverSideApply());
    return this;
  }

  void removePolicies() {
    var client = controlPlane.client();
    OperatorRights.ofChart(POLICIES, client).forEach(object -> client.resource(object).delete());
  }

  /// A client with the token of an agent's pod on a node.
  KubernetesClient on(String node) {
    var pod = controlPlane.client().resource(podOn(node)).create();
    return client(controlPlane.kubeconfigFor(pod));
  }

  /// A client with a token of the account that belongs to no pod, as whoever may ask for tokens
  /// gets it.
  KubernetesClient withoutPod() {
    return client(controlPlane.kubeconfigFor(Scene.NAMESPACE, ACCOUNT));
  }

  static KubernetesClient client(Path kubeconfig) {
    var config = Config.fromKubeconfig(kubeconfig.toFile());
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static Pod podOn(String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withGenerateName("agent-of-the-test-")
        .withNamespace(Scene.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(ACCOUNT)
        .withNodeName(node)
        .addNewContainer()
        .withName("agent")
        .withImage("example.com/pitcrew:1")
        .endContainer()
        .endSpec()
        .build();
  }
}
