package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Values;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.Set;

/// The service accounts of pods on nodes, first of all the agent's: with the roles that the
/// operator gives them and the admission policies of the chart.
record AgentIdentity(ControlPlane controlPlane) {
  static final String ACCOUNT = "pitcrew-agent";

  private static final Set<String> POLICIES =
      Set.of("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");

  /// Brings the chart's admission policies to the cluster.
  AgentIdentity installPolicies() {
    return installPolicies(Values.DEFAULTS);
  }

  /// The same with other values than the chart's defaults.
  AgentIdentity installPolicies(Values values) {
    var client = controlPlane.client();
    OperatorRights.ofChart(values, POLICIES, client)
        .forEach(object -> client.resource(object).forceConflicts().serverSideApply());
    return this;
  }

  void removePolicies() {
    var client = controlPlane.client();
    OperatorRights.ofChart(POLICIES, client).forEach(object -> client.resource(object).delete());
  }

  /// A client with the token of an agent's pod on a node.
  KubernetesClient on(String node) {
    return on(node, ACCOUNT);
  }

  /// A client with the token of a pod of another account on a node.
  KubernetesClient on(String node, String account) {
    var pod = controlPlane.client().resource(podOn(node, account)).create();
    return client(controlPlane.kubeconfigFor(pod));
  }

  /// A client with a token of the account that belongs to no pod, as a user who may ask for tokens
  /// gets it.
  KubernetesClient withoutPod() {
    return withoutPod(ACCOUNT);
  }

  KubernetesClient withoutPod(String account) {
    return client(controlPlane.kubeconfigFor(Scene.NAMESPACE, account));
  }

  static KubernetesClient client(Path kubeconfig) {
    var config = Config.fromKubeconfig(kubeconfig.toFile());
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static Pod podOn(String node, String account) {
    return new PodBuilder()
        .withNewMetadata()
        .withGenerateName("agent-of-the-test-")
        .withNamespace(Scene.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(account)
        .withNodeName(node)
        .addNewContainer()
        .withName("agent")
        .withImage("example.com/pitcrew:1")
        .endContainer()
        .endSpec()
        .build();
  }
}
