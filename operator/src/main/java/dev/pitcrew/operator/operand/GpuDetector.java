package dev.pitcrew.operator.operand;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.render.AgentImage;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Optional;

/// Waits for a GPU on each Linux node on which none is known, so that the agent, which is
/// privileged, has to be on no such node, and that no feature discovery is needed.
///
/// Its pods meet the Pod Security Standard `restricted`: no privilege, no path of the host, no
/// token. The PCI bus is read from the sysfs that each container has. A container ends with 0 where
/// there is a GPU; the kubelet writes that into the pod's status, by which the operator labels the
/// node. The pods of nodes with GPUs go, as the label keeps them off.
///
/// It is on the nodes where the agent may be.
///
/// @param agent the agent in force, whose function `labels` goes on from there
public record GpuDetector(AgentSpec agent) implements Operand {
  public static final String NAME = "pitcrew-gpu-detector";

  /// One that the image has no files of.
  private static final long USER = 65_532;

  /// On a full node without a GPU no pod of a user has to go for it.
  private static final String NO_PREEMPTION = "";

  private static final NodeSelectorRequirement NO_GPU_IS_KNOWN =
      new NodeSelectorRequirement(NodeLabels.GPU_PRESENT, "NotIn", List.of("true"));

  @Override
  public String state() {
    return NAME;
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec policy) {
    return agent.provides(AgentFunction.LABELS);
  }

  @Override
  public boolean needsGpuNodes() {
    return false;
  }

  /// A node without a GPU that is full, or has gone, takes nothing from those that have one.
  @Override
  public boolean decidesReadiness() {
    return false;
  }

  @Override
  public List<Check> checks() {
    return List.of(context -> AgentImage.problem(agent.image(), context));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    return List.of(
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName(NAME)
            .withNamespace(context.namespace())
            .endMetadata()
            .withAutomountServiceAccountToken(false)
            .build());
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var container =
        new ContainerDraft(NAME)
            .image(AgentImage.path(agent.image(), context))
            .pullPolicy(agent.imagePullPolicyOrDefault())
            .command("pitcrew", "detect-gpu")
            .resources(resources())
            .restricted();
    if (!context.facts().isOpenShift()) {
      // There, each namespace has a range of its own.
      container.runAsUser(USER);
    }
    var shape = DaemonSetDraft.onEveryNode(NAME).automountToken(false).container(container);
    var draft = CommonSettings.under(shape, context);
    agent.nodeSelector().forEach(draft::onNodesWith);
    draft
        .affinity(affinity())
        .priorityClass(NO_PREEMPTION)
        .pullSecrets(agent.imagePullSecrets())
        .addTolerations(AgentPod.TOLERATIONS);
    AgentPod.paceUpdates(draft, context);
    OperandSettings.tolerations(draft, agent.tolerations());
    return List.of(CommonSettings.finish(draft, context));
  }

  /// On the nodes of the agent, in each of whose terms it has one more requirement.
  private Affinity affinity() {
    List<NodeSelectorTerm> terms =
        Optional.of(OperandSettings.affinity(agent.affinity()))
            .map(Affinity::getNodeAffinity)
            .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
            .map(NodeSelector::getNodeSelectorTerms)
            .filter(it -> !it.isEmpty())
            .orElse(List.of(new NodeSelectorTerm()));
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNodeSelectorTerms(
            terms.stream()
                .map(term ->
                    new NodeSelectorTermBuilder(term)
                        .addToMatchExpressions(NO_GPU_IS_KNOWN)
                        .build())
                .toList())
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }

  /// It takes 1 MiB; to start a container in less than this, runtimes fail.
  private static ResourceRequirements resources() {
    return new ResourceRequirementsBuilder()
        .addToRequests("cpu", new Quantity("1m"))
        .addToRequests("memory", new Quantity("8Mi"))
        .addToLimits("memory", new Quantity("32Mi"))
        .build();
  }
}
