package dev.pitcrew.cli.command;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;

/// A cluster with something to see on each screen of the console.
final class ConsoleObjects {
  private ConsoleObjects() {}

  static void define(PluginCluster cluster) {
    cluster.define(
        List.of(
            "pitcrew.dev_gpunodes.yaml",
            "pitcrew.dev_fleetpolicies.yaml",
            "nvidia.com_clusterpolicies.yaml"),
        List.of(
            "/apis/pitcrew.dev/v1alpha1/gpunodes",
            "/apis/pitcrew.dev/v1alpha1/fleetpolicies",
            "/apis/nvidia.com/v1/clusterpolicies"));
  }

  /// Three nodes: one that is well, one with an unhealthy GPU, one that waits in a roll-out; a pod
  /// that holds GPUs and two that wait; a policy that is not ready.
  ///
  /// @param text in messages and blockers, in a string of YAML with double quotes
  static void create(PluginCluster cluster, String text) {
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    cluster.gpuNode("gpu-2", "False", "GpuUnhealthy", "GPU 0 (0000:00:00.0): Xid 79, " + text, "");
    cluster.gpuNode(
        "gpu-3",
        "True",
        "Ready",
        "",
        """
        rollout:
          phase: Drain
          since: '2026-11-30T10:00:00Z'
          deadline: '2026-11-30T12:00:00Z'
          blocker: "pod ml/api-0: %s"
          nextAction: evict the pods that hold GPUs
        """
            .formatted(text));
    for (String node : List.of("gpu-1", "gpu-2", "gpu-3")) {
      node(cluster, node);
    }
    pod(cluster, "train-0", "nodeName: gpu-1", 3, "Running", "");
    pod(cluster, "train-1", "schedulerName: none", 4, "Pending", text);
    pod(cluster, "huge-0", "schedulerName: none", 16, "Pending", text);
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: nvidia.com/v1
            kind: ClusterPolicy
            metadata: {name: cluster-policy}
            spec:
              operator: {}
              driver: {}
              toolkit: {}
              devicePlugin: {}
              dcgm: {}
              dcgmExporter: {}
              daemonsets: {}
              nodeStatusExporter: {}
              gfd: {}
            status:
              state: notReady
              namespace: gpu-operator
              conditions:
              - {type: Ready, status: 'False', reason: OperandNotReady, message: "%s", lastTransitionTime: '2026-11-30T10:00:00Z'}
              - {type: Error, status: 'True', reason: OperandNotReady, message: "%s", lastTransitionTime: '2026-11-30T10:00:00Z'}
            """
                .formatted(text, text),
            GenericKubernetesResource.class));
  }

  private static void node(PluginCluster cluster, String name) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s, labels: {nvidia.com/gpu.present: 'true'}}
            status:
              capacity: {nvidia.com/gpu: '4', pods: '110'}
              allocatable: {nvidia.com/gpu: '4', pods: '110'}
              conditions: [{type: Ready, status: 'True', reason: KubeletReady, message: m}]
            """
                .formatted(name),
            Node.class));
  }

  private static void pod(
      PluginCluster cluster, String name, String place, int gpus, String phase, String message) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: default}
            spec:
              %s
              terminationGracePeriodSeconds: 0
              containers:
              - {name: main, image: x, resources: {limits: {nvidia.com/gpu: '%d'}}}
            status:
              phase: %s
              conditions: [{type: PodScheduled, status: '%s', reason: Unschedulable, message: "%s"}]
            """
                .formatted(
                    name, place, gpus, phase, phase.equals("Pending") ? "False" : "True", message),
            Pod.class));
  }
}
