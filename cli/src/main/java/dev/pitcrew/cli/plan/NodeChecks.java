package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Condition;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.HostNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.core.names.GpuResources;
import dev.pitcrew.core.names.NodeLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Whether a pod with GPUs could start on a node now, and what keeps it from that.
public final class NodeChecks {
  private static final String OURS = "pitcrew.dev/gpu-";

  private NodeChecks() {}

  /// @param gpuNode empty where no agent has reported
  /// @param agents pods of the agent on the node; empty where the user may not list pods
  /// @param holders pods of the node that hold GPUs; likewise
  public static Checks of(
      HostNode node,
      Optional<GpuNode> gpuNode,
      Optional<List<Pod>> agents,
      Optional<Holdings> holders) {
    var lines = new ArrayList<Line>();
    lines.add(state(node));
    if (node.cordoned()) {
      lines.add(cordoned(node, gpuNode));
    }
    node.taints().forEach(it -> lines.add(taint(it)));
    lines.add(HostChecks.of(node.host()));
    lines.add(agent(gpuNode, agents));
    gpuNode.ifPresentOrElse(it -> conditions(it, lines), () -> lines.add(withoutReport(node)));
    gpuNode
        .filter(it -> !it.rollout().phase().equals("Idle"))
        .ifPresent(it -> lines.add(rollout(it)));
    lines.add(resources(node, gpuNode, holders));
    return Checks.of("Node %s for pods with GPUs".formatted(node.name()), lines);
  }

  private static Line state(HostNode node) {
    return node.ready()
        ? Line.good("the Node is ready")
        : Line.blocker(
            "the Node is not ready: its kubelet does not report, or reports a problem",
            "kubectl describe node " + node.name());
  }

  private static Line cordoned(HostNode node, Optional<GpuNode> gpuNode) {
    boolean isOfRollout = gpuNode.filter(it -> it.rollout().isUnderWay()).isPresent();
    return Line.blocker(
        "the Node is cordoned",
        isOfRollout
            ? "wait: the driver roll-out uncordons it. kubectl gpu rollout status -w"
            : "if nothing else has to be done there: kubectl uncordon " + node.name());
  }

  private static Line taint(String taint) {
    return taint.startsWith(OURS)
        ? Line.blocker(
            "taint " + taint,
            "Pitcrew takes it away when the node, or its GPUs, are well: see the lines below")
        : Line.warning(
            "taint " + taint,
            "pods need a toleration for it, and for the agent fleetPolicy.agent.tolerations or daemonsets.tolerations");
  }

  private static Line agent(Optional<GpuNode> gpuNode, Optional<List<Pod>> agents) {
    if (agents.isEmpty()) {
      return Line.unread("the agent's pod", "your rights do not allow to list pods");
    }
    Optional<Pod> pod = agents.get().stream().filter(it -> !it.deleting()).findFirst();
    if (pod.isEmpty()) {
      String remedy =
          "is it selected (fleetPolicy.agent.nodeSelector, taints)? kubectl get daemonset -A -l app=pitcrew-agent";
      return gpuNode.isPresent()
          ? Line.blocker("no agent runs on the node", remedy)
          : Line.warning("no agent runs on the node", remedy);
    }
    boolean isReady = pod.get().condition("Ready").filter(Condition::isTrue).isPresent();
    String why = pod.get().waiting().stream().findFirst().map(it -> ": " + it.reason()).orElse("");
    return isReady
        ? Line.good("the agent %s is ready".formatted(pod.get().id()))
        : Line.blocker(
            "the agent %s is not ready%s".formatted(pod.get().id(), why),
            "kubectl logs -n %s %s".formatted(pod.get().namespace(), pod.get().name()));
  }

  private static void conditions(GpuNode node, List<Line> lines) {
    boolean isFirst = true;
    for (Condition condition : node.conditions()) {
      if (condition.type().equals("Ready")) {
        continue;
      }
      lines.add(condition.isTrue() ? good(node, condition) : bad(node, condition, isFirst));
      isFirst &= condition.isTrue();
    }
  }

  private static Line good(GpuNode node, Condition condition) {
    return Line.good(
        condition.type().equals("DriverReady") && !node.driver().isEmpty()
            ? "DriverReady: driver " + node.driver()
            : condition.type());
  }

  /// A GPU that is not healthy keeps no pod from the others. What follows from the first condition
  /// needs no remedy of its own.
  private static Line bad(GpuNode node, Condition condition, boolean isFirst) {
    String text =
        "%s=%s %s: %s"
            .formatted(
                condition.type(), condition.status(), condition.reason(), condition.message());
    String remedy = isFirst ? String.join("; ", Remedies.of(node, condition)) : "";
    return condition.type().equals("Healthy")
        ? Line.warning(text, remedy)
        : Line.blocker(text, remedy);
  }

  private static Line withoutReport(HostNode node) {
    boolean isFound = "true".equals(node.labels().get(NodeLabels.GPU_PRESENT));
    return Line.blocker(
        isFound
            ? "no agent has reported on the node: it has no GPUNode"
            : "no GPU is known: the label %s is not true, and there is no GPUNode"
                .formatted(NodeLabels.GPU_PRESENT),
        isFound
            ? "wait a minute, then " + Remedies.agentLog(node.name())
            : "on the node: lspci -d 10de:; if it lists a GPU: kubectl get pods -A -o wide -l app=pitcrew-gpu-detector");
  }

  private static Line rollout(GpuNode node) {
    GpuNode.Rollout rollout = node.rollout();
    String words =
        "driver roll-out: "
            + rollout.phase()
            + (rollout.blocker().isEmpty() ? "" : ": " + rollout.blocker());
    if (rollout.isFailed()) {
      return Line.blocker(words, "kubectl gpu rollout retry " + node.name());
    }
    if (rollout.isUnderWay()) {
      return Line.blocker(words, "kubectl gpu rollout status -w");
    }
    return rollout.isPending()
        ? Line.warning(words, "its pods with GPUs have to leave when it begins")
        : Line.good(words);
  }

  /// What pods ask for, and what is left of it.
  private static Line resources(
      HostNode node, Optional<GpuNode> gpuNode, Optional<Holdings> holders) {
    Map<String, Long> offered = new TreeMap<>();
    node.allocatable()
        .forEach((resource, amount) -> {
          if (GpuResources.isGpu(resource) && amount.matches("[1-9][0-9]{0,8}")) {
            offered.put(resource, Long.parseLong(amount));
          }
        });
    if (offered.isEmpty()) {
      boolean byClaims =
          gpuNode
              .flatMap(it -> it.condition("DevicesAdvertised"))
              .filter(it -> it.reason().equals("AllocatedByClaims"))
              .isPresent();
      return byClaims
          ? Line.good("its GPUs are allocated by ResourceClaims")
          : Line.blocker(
              "the Node offers no GPU to pods (status.allocatable)",
              "see the lines above; without one: kubectl gpu explain node " + node.name());
    }
    var words = new ArrayList<String>();
    boolean isFull = true;
    for (Map.Entry<String, Long> it : offered.entrySet()) {
      Optional<Long> free =
          holders.map(held -> Math.max(0, it.getValue() - held.held(node.name(), it.getKey())));
      isFull &= free.filter(left -> left == 0).isPresent();
      words.add(
          "%d × %s, %s free"
              .formatted(
                  it.getValue(),
                  it.getKey(),
                  free.map(String::valueOf).orElse("an unknown number")));
    }
    String text = "the Node offers " + String.join("; ", words);
    return isFull
        ? Line.warning(text, "pods hold all of them: kubectl gpu who " + node.name())
        : Line.good(text);
  }
}
