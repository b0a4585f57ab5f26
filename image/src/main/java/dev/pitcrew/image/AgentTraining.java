package dev.pitcrew.image;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// The agent on a node with simulated GPUs, on which the operator has set it to work, under a
/// kubelet's part, as it starts on most days: an agent was there before, but the node lacks what it
/// writes. It finds the GPUs, offers them, one is allocated, the cluster knows all of it, it ends.
record AgentTraining() implements AotCaches.Training {
  private static final String AGENT = "agent";

  /// Not `vfio-manage`: it starts no faster with a cache, and holds on to the memory as long as its
  /// pod lives.
  private static final List<String> OTHERS =
      List.of("labels", "plugin", "cdi", "inventory", "features", "driver-manager");

  private static final String NODE = "gpu-1";
  private static final String LABEL = "nvidia.com/gpu.count";
  private static final String HOST = "/run/host";
  private static final String ACCOUNT = "/run/account";
  private static final String KUBELET = "/run/kubelet";
  private static final String STATE = "/run/state";
  private static final String MEMORY = "settings.json";
  private static final ResourceDefinitionContext GPU_NODES =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("GPUNode")
          .withPlural("gpunodes")
          .withNamespaced(false)
          .build();

  @Override
  public String program() {
    return AGENT;
  }

  @Override
  public List<String> others() {
    return OTHERS;
  }

  @Override
  public void run(ControlPlane cluster, Container container, Path folder) {
    var host = TrainingRun.emptyFolder(folder.resolve("host"));
    var state = TrainingRun.emptyFolder(folder.resolve("state"));
    var kubelet = folder.resolve("kubelet");
    var _ = SimulatedNode.create(host, SimulatedNodeOptions.of("h100").withGpus(8));
    var mounted =
        container
            .withMount(HOST, host)
            .withMount(KUBELET, TrainingRun.emptyFolder(kubelet))
            .withMount(STATE, state)
            .withMount(ACCOUNT, account(cluster, folder.resolve("account")));
    try (var first = TrainingRun.start(mounted, arguments(cluster), folder.resolve("log.first"))) {
      first.await("the memory of the node", () -> Files.exists(state.resolve(MEMORY)));
      first.end();
    }
    forget(cluster.client());
    var training = new ArrayList<>(List.of("train"));
    training.addAll(arguments(cluster));
    try (var plays = TrainingKubelet.start(kubelet);
        var run = TrainingRun.start(mounted, training, folder.resolve("log"))) {
      run.await("the allocation of a GPU", plays::hasAllocated);
      run.await("the labels of the node", () -> isLabelled(cluster.client()));
      run.await("the status of the GPUNode", () -> isReported(cluster.client()));
      run.end();
    }
  }

  /// The node as it was before any agent. Policies that hold the token of an agent to its own node
  /// would refuse everything here: ours belongs to no pod.
  private static void forget(KubernetesClient client) {
    client.admissionRegistration().v1().validatingAdmissionPolicyBindings().delete();
    client
        .nodes()
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": null}}}".formatted(LABEL));
    client.genericKubernetesResources(GPU_NODES).withName(NODE).delete();
  }

  private static boolean isLabelled(KubernetesClient client) {
    return client.nodes().withName(NODE).require().getMetadata().getLabels().containsKey(LABEL);
  }

  private static boolean isReported(KubernetesClient client) {
    var live = client.genericKubernetesResources(GPU_NODES).withName(NODE).get();
    return live != null && live.get("status", "conditions") != null;
  }

  private static List<String> arguments(ControlPlane cluster) {
    return List.of(
        AGENT,
        "--host-root=" + HOST,
        "--kubelet-dir=" + KUBELET,
        "--cdi-dir=/run/cdi",
        "--state-dir=" + STATE,
        "--validations-dir=/run/validations",
        "--node-name=" + NODE,
        "--namespace=" + OperatorTraining.NAME,
        "--server=" + cluster.apiServerAddress(),
        "--service-account=" + ACCOUNT,
        "--health-probe-bind-address=127.0.0.1:0");
  }

  /// The files of a service account, as a pod has them.
  private static Path account(ControlPlane cluster, Path folder) {
    var kubeconfig = cluster.kubeconfigFor(OperatorTraining.NAME, "pitcrew-agent");
    var config = Config.fromKubeconfig(kubeconfig.toFile());
    try {
      TrainingRun.emptyFolder(folder);
      Files.writeString(folder.resolve("token"), config.getAutoOAuthToken());
      Files.write(folder.resolve("ca.crt"), Base64.getMimeDecoder().decode(config.getCaCertData()));
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("write " + folder, e);
    }
  }
}
