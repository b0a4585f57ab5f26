package dev.pitcrew.cli;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.transport.Json;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Objects of the API server in a few words.
public final class Objects {
  private Objects() {}

  public static Json json(String yaml) {
    return new Json(Serialization.unmarshal(yaml, Map.class));
  }

  public static Policy policy(String ready, String error) {
    return Policy.of(
        Policy.Kind.CLUSTER_POLICY,
        json(
            """
            metadata: {name: cluster-policy}
            status:
              state: x
              conditions:
              - {type: Ready, status: '%s', reason: Reconciled, message: all is well}
              - {type: Error, status: '%s', reason: OperandNotReady, message: DaemonSet d waits}
            """
                .formatted(ready, error)));
  }

  /// @param words name, number of GPUs, and what differs: `NotReady=Reason`, `Phase=Drain`,
  ///   `Bad=Level`, `Sharing=MPS`, `Silent`, `Mig`
  public static GpuNode gpuNode(String words) {
    List<String> parts = List.of(words.split(" +", -1));
    String name = parts.getFirst();
    int count = Integer.parseInt(parts.get(1));
    String level = value(parts, "Bad", "Healthy");
    var gpus = new ArrayList<String>();
    for (int index = 0; index < count; index++) {
      gpus.add(
          "{pciAddress: '0000:0%d:00.0', index: %d, uuid: GPU-%d, product: NVIDIA H100, migCapable: %s, health: {level: %s, since: '2026-11-29T09:14:07Z', evidence: [Xid 79]}}"
              .formatted(
                  index, index, index, parts.contains("Mig"), index == 0 ? level : "Healthy"));
    }
    String reason = value(parts, "NotReady", "");
    return GpuNode.of(
        json(
            """
            metadata: {name: %s, creationTimestamp: '2026-11-20T10:00:00Z'}
            status:
              gpuCount: %d
              driver: {version: 580.159.04}
              sharing: {strategy: %s}
              gpus: [%s]
              rollout: {phase: %s, blocker: 'pod ml/x'}
              conditions:
              - {type: DriverReady, status: 'True', reason: Ready, message: m}
              - {type: DevicesAdvertised, status: '%s', reason: Advertised, message: m}
              - {type: Healthy, status: '%s', reason: '%s', message: 'GPU 0: Xid 79'}
              - {type: Ready, status: '%s', reason: '%s', message: 'GPU 0: Xid 79'}
            """
                .formatted(
                    name,
                    count,
                    value(parts, "Sharing", "None"),
                    String.join(", ", gpus),
                    value(parts, "Phase", "Idle"),
                    parts.contains("Silent") ? "False" : "True",
                    reason.isEmpty() ? "True" : "False",
                    reason,
                    reason.isEmpty() ? "True" : "False",
                    reason.isEmpty() ? "Ready" : reason)));
  }

  /// @param words name and what it has: `gpu=8`, `allocatable=7`, `kind=a100`, `taint=team`,
  ///   `cordoned`, `down`
  public static KubeNode kubeNode(String words) {
    List<String> parts = List.of(words.split(" +", -1));
    String amount = value(parts, "gpu", "");
    String mig = value(parts, "mig-1g.10gb", "");
    String capacity =
        (amount.isEmpty() ? "" : "nvidia.com/gpu: '%s',".formatted(amount))
            + (mig.isEmpty() ? "" : "nvidia.com/mig-1g.10gb: '%s'".formatted(mig));
    String allocatable =
        parts.stream().anyMatch(it -> it.startsWith("allocatable="))
            ? "nvidia.com/gpu: '%s'".formatted(value(parts, "allocatable", ""))
            : capacity;
    String taint = value(parts, "taint", "");
    return KubeNode.of(
        json(
            """
            metadata: {name: %s, labels: {nvidia.com/gpu.present: 'true', kind: '%s'}}
            spec: {unschedulable: %s, taints: [%s]}
            status:
              capacity: {%s}
              allocatable: {%s}
              conditions: [{type: Ready, status: '%s'}]
            """
                .formatted(
                    parts.getFirst(),
                    value(parts, "kind", "h100"),
                    parts.contains("cordoned"),
                    taint.isEmpty()
                        ? ""
                        : "{key: %s, value: a, effect: NoSchedule}".formatted(taint),
                    capacity,
                    allocatable,
                    parts.contains("down") ? "False" : "True")));
  }

  /// @param node empty for one that waits
  /// @param spec more of the pod's specification
  public static Pod pod(String name, String node, String limits, String spec) {
    return Pod.of(
        json(
            """
            metadata: {namespace: ml, name: %s, creationTimestamp: '2026-11-29T10:00:00Z'}
            spec:
              nodeName: '%s'
              containers: [{name: main, resources: {limits: {%s}}}]
            %s
            status:
              phase: %s
              conditions:
              - {type: PodScheduled, status: '%s', reason: Unschedulable, message: 0/9 nodes}
            """
                .formatted(
                    name,
                    node,
                    limits,
                    spec.isEmpty() ? "" : "  " + spec,
                    node.isEmpty() ? "Pending" : "Running",
                    node.isEmpty() ? "False" : "True")));
  }

  private static String value(List<String> parts, String key, String otherwise) {
    return parts.stream()
        .filter(it -> it.startsWith(key + "="))
        .map(it -> it.substring(key.length() + 1))
        .findFirst()
        .orElse(otherwise);
  }
}
