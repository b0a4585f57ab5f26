package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// What to do about the condition that keeps a node from being ready. The message of the condition
/// has the details; the page says what each reason means.
final class Remedies {
  private Remedies() {}

  static List<String> of(GpuNode node, Condition condition) {
    if (condition.reason().equals("Paused")) {
      return List.of(
          "nothing: the driver or MIG manager that has paused it sets the label back; if none runs any more, set the label that the message names to true");
    }
    if (condition.status().equals("Unknown")) {
      return List.of("wait a minute, then " + agentLog(node.name()));
    }
    return switch (condition.type()) {
      case "Discovered" ->
          List.of(
              "on the node: lspci -d 10de:",
              "if it lists nothing, reseat the board, or look at the passthrough of the hypervisor");
      case "DriverReady" ->
          List.of(
              "the driver's pod of the node: kubectl get pods -A -l app.kubernetes.io/component=nvidia-driver -o wide --field-selector spec.nodeName="
                  + node.name(),
              "of a driver that the host brings: nvidia-smi and dmesg on the node",
              "see docs/why-is-my-node-not-ready.md, " + condition.reason());
      case "RuntimeReady" -> List.of("see docs/container-runtime.md, " + condition.reason());
      case "MIGConfigured" -> List.of("see docs/mig.md, " + condition.reason());
      case "Healthy" -> unhealthy(node);
      default -> List.of(agentLog(node.name()), "see docs/gpunode.md, " + condition.reason());
    };
  }

  static String agentLog(String node) {
    return "the agent's pod of the node: kubectl get pods -A -l app=pitcrew-agent --field-selector spec.nodeName="
        + node;
  }

  /// By the worst GPU: what repairs it repairs the others too.
  private static List<String> unhealthy(GpuNode node) {
    String level =
        node.gpus().stream().max(Comparator.comparingInt(Gpu::badness)).map(Gpu::level).orElse("");
    String drain =
        "kubectl drain %s --ignore-daemonsets --delete-emptydir-data".formatted(node.name());
    var next = new ArrayList<String>();
    switch (level) {
      case "NeedsReset" -> {
        next.add(
            "end the pods that hold the GPU; FleetPolicy spec.health.resetGpus lets the agent reset it then");
        next.add("or: " + drain + ", and reset it on the node: nvidia-smi --gpu-reset -i INDEX");
      }
      case "NeedsReboot" -> {
        next.add(drain);
        next.add("reboot the node");
        next.add("kubectl uncordon " + node.name());
      }
      case "Replace" -> {
        next.add(drain);
        next.add("have the board replaced: neither a reset nor a reboot repairs it");
      }
      default -> next.add("nothing yet: the GPU still works");
    }
    next.add("see docs/unhealthy-gpu.md");
    return List.copyOf(next);
  }
}
