package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static java.util.Objects.requireNonNullElse;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.node.FleetDraSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.render.AgentImage;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.Probes;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategyBuilder;
import java.util.List;
import java.util.Map;

/// Runs the MPS control daemons where the agent has the function `mps`: under the name and on the
/// nodes of the operand that it replaces, but as the node's agent configures it. It needs no API
/// server. Its end is the end of every client's context, so nothing but a user replaces its pods,
/// and no probe kills them.
///
/// @param spec the agent in force
/// @param dra which nodes serve claims, and whether claims can share GPUs by MPS
public record MpsSupervisor(AgentSpec spec, FleetDraSpec dra) implements Operand {
  private static final String ROOT_OF_CLIENTS = "/mps";
  private static final String CLAIMS = "/claims";
  private static final String STATE = "/var/lib/pitcrew/mps";

  /// A daemon has to quit and its GPUs get their mode back.
  private static final long GRACE_SECONDS = 40;

  private static final int PROBE_TIMEOUT_SECONDS = 2;

  /// This one in the place of the operand that runs the daemons; all others as they are.
  public static Operand inPlaceOf(Operand operand, AgentSpec agent, FleetDraSpec dra) {
    return operand instanceof MpsControlDaemon ? new MpsSupervisor(agent, dra) : operand;
  }

  @Override
  public String state() {
    return MpsControlDaemon.STATE;
  }

  @Override
  public String daemonSetName() {
    return MpsControlDaemon.NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec policy) {
    return policy.devicePlugin().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(context -> AgentImage.problem(spec.image(), context));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    return Identity.named(MpsControlDaemon.NAME).objects(context.namespace());
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var section = context.spec().devicePlugin();
    var draft = CommonSettings.under(shape(), context);
    draft
        .main()
        .image(AgentImage.path(spec.image(), context))
        .pullPolicy(spec.imagePullPolicyOrDefault())
        .args(driverFolder(context));
    draft.pullSecrets(spec.imagePullSecrets());
    OperandSettings.resources(draft, section);
    OperandSettings.tolerations(draft, spec.tolerations());
    draft.hostNetwork(Boolean.TRUE.equals(section.hostNetwork()));
    DevicePlugin.mpsRoot(draft, context);
    if (servesClaims()) {
      serveClaims(draft, context);
    } else {
      draft.onNodesWith(NodeLabels.MPS_CAPABLE, "true");
    }
    draft.updateStrategy(new DaemonSetUpdateStrategyBuilder().withType("OnDelete").build());
    return List.of(CommonSettings.finish(draft, context));
  }

  private boolean servesClaims() {
    return spec.provides(AgentFunction.DRA)
        && dra.nodeSelector() != null
        && !Boolean.FALSE.equals(dra.featureGates().get("MPSSupport"));
  }

  /// Claims meet their daemons in a folder of the DRA driver, in which the supervisor mounts memory
  /// that the host's containers see.
  private void serveClaims(DaemonSetDraft draft, RenderContext context) {
    draft.hostPath(
        "claims", AgentPod.kubeletRoot(context) + "/plugins/gpu.nvidia.com", DIRECTORY_OR_CREATE);
    draft.main().mount("claims", CLAIMS, BIDIRECTIONAL);
    Map<String, String> nodes = requireNonNullElse(dra.nodeSelector(), Map.of());
    if (!nodes.isEmpty()) {
      draft.affinity(onAnyOf(List.of(Map.of(NodeLabels.MPS_CAPABLE, "true"), nodes)));
    }
  }

  /// On nodes that have all labels of one of these.
  private static Affinity onAnyOf(List<Map<String, String>> labels) {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNodeSelectorTerms(labels.stream().map(MpsSupervisor::term).toList())
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }

  private static NodeSelectorTerm term(Map<String, String> labels) {
    return new NodeSelectorTermBuilder()
        .withMatchExpressions(
            labels.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(label ->
                    new NodeSelectorRequirement(label.getKey(), "In", List.of(label.getValue())))
                .toList())
        .build();
  }

  private static String driverFolder(RenderContext context) {
    String given = requireNonNullElse(context.spec().hostPaths().driverInstallDir(), "");
    return "--driver-folder=" + (given.isEmpty() ? CommonSettings.DRIVER_DIRECTORY : given);
  }

  /// The daemons' processes and those of their clients have to know each other by the host's
  /// numbers.
  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(MpsControlDaemon.NAME, "device-plugin")
        .openShiftConstraint("privileged")
        .automountToken(false)
        .hostPid()
        .terminationGraceSeconds(GRACE_SECONDS)
        .container(container())
        .hostPath("host-root", "/", ANY)
        .hostPath("mps-root", "/run/nvidia/mps", DIRECTORY_OR_CREATE)
        .hostPath("state", STATE, DIRECTORY_OR_CREATE);
  }

  private static ContainerDraft container() {
    return new ContainerDraft(MpsControlDaemon.CONTAINER)
        .command("pitcrew-mps")
        .env("HOST_ROOT", "/host")
        .readinessProbe(
            Probes.exec("pitcrew-mps", "ready")
                .withTimeoutSeconds(PROBE_TIMEOUT_SECONDS)
                .withPeriodSeconds(5)
                .build())
        .privileged()
        .runAsRoot()
        .mountHostRoot()
        .mount("mps-root", ROOT_OF_CLIENTS, BIDIRECTIONAL)
        .mountReadOnly("state", STATE);
  }
}
