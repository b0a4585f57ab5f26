package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static java.util.Objects.requireNonNullElse;

import dev.pitcrew.api.node.AgentMarks;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Probes;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategyBuilder;
import java.util.List;

/// What the node agent's pod looks like before a FleetPolicy is laid over it.
final class AgentPod {
  /// The agent runs on the nodes that are kept for GPUs and on those that have its own taints,
  /// which only it takes away. Not on control planes: it is privileged, and few of them have GPUs.
  /// The GPU detector looks for GPUs where the agent may run.
  static final List<Toleration> TOLERATIONS =
      List.of(
          tolerate("nvidia.com/gpu"),
          tolerate(AgentMarks.NOT_READY),
          tolerate(AgentMarks.UNHEALTHY));

  /// The new agent starts beside the old one, waits until it could take over, and only then is the
  /// old one ended: a node is without a list of devices for a moment only, and an image that does
  /// not work never ends one that does. Not one node at a time, which NVIDIA's chart configures for
  /// all operands: that would take hours on a large cluster.
  private static final String MAX_SURGE = "10%";

  private static final String MAX_UNAVAILABLE_OF_REFERENCE = "1";

  private static final String HOST_ROOT = "/host";

  private static final String KUBELET_DIRECTORY = "/var/lib/kubelet";

  /// What the gate gives the JVM to end is less, so that the kubelet never has to kill it.
  private static final long GRACE_SECONDS = 30;

  private static final int PROBE_TIMEOUT_SECONDS = 2;

  private AgentPod() {}

  static DaemonSetDraft shape(String name) {
    return DaemonSetDraft.onEveryNode(name)
        .openShiftConstraint(name)
        .hostPid()
        .terminationGraceSeconds(GRACE_SECONDS)
        .container(container(name))
        .hostPath("host-root", "/", ANY)
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY_OR_CREATE)
        .hostPath("host-dev", "/dev", DIRECTORY)
        .hostPath("device-plugin", "/var/lib/kubelet/device-plugins", ANY)
        .hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE)
        .hostPath("state", "/var/lib/pitcrew", DIRECTORY_OR_CREATE);
  }

  private static ContainerDraft container(String name) {
    return new ContainerDraft(name)
        .command("pitcrew")
        .args("agent")
        .env("HOST_ROOT", HOST_ROOT)
        .envFromField("NODE_NAME", "spec.nodeName")
        .envFromField("POD_NAME", "metadata.name")
        .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
        .env("AGENT_CONFIG_MAP", name)
        .resources(resources())
        .livenessProbe(probe("live", 20))
        .readinessProbe(probe("ready", 5))
        .port(NodeStatusExporter.PORT_NAME, NodeStatusExporter.PORT)
        .privileged()
        .runAsRoot()
        .mount("host-root", HOST_ROOT, HOST_TO_CONTAINER)
        .mount("run-nvidia", "/run/nvidia", HOST_TO_CONTAINER)
        .mount("host-dev", "/dev")
        .mount("device-plugin", "/var/lib/kubelet/device-plugins")
        .mount("cdi-root", "/var/run/cdi")
        .mount("state", "/var/lib/pitcrew");
  }

  /// The folders in which the kubelet finds DRA drivers. It opens the driver's socket by the path
  /// that the driver reports, so the agent learns where they are on the host.
  static void serveClaims(DaemonSetDraft draft, RenderContext context) {
    String root = kubeletRoot(context);
    draft
        .hostPath("kubelet-plugins", root + "/plugins", DIRECTORY_OR_CREATE)
        .hostPath("kubelet-registry", root + "/plugins_registry", DIRECTORY_OR_CREATE);
    draft
        .main()
        .env("KUBELET_ROOT_DIR", root)
        .mount("kubelet-plugins", KUBELET_DIRECTORY + "/plugins")
        .mount("kubelet-registry", KUBELET_DIRECTORY + "/plugins_registry");
  }

  /// The kubelet's folder on the host.
  static String kubeletRoot(RenderContext context) {
    return context.spec().hostPaths().kubeletRootDirOrDefault();
  }

  /// On a node whose pods use every processor, the request is all that the agent gets. A start
  /// takes some 1.5 seconds of a processor, and a kubelet that hears nothing for a minute ends it:
  /// with 50m that is half a minute, with 10m it would never come up. No limit, since throttling
  /// would delay its answers to the kubelet. The memory of its limit is 128Mi for itself and 192Mi
  /// for the check by CUDA, which runs a second for each GPU and load of the driver.
  private static ResourceRequirements resources() {
    return new ResourceRequirementsBuilder()
        .addToRequests("cpu", new Quantity("50m"))
        .addToRequests("memory", new Quantity("64Mi"))
        .addToLimits("memory", new Quantity("384Mi"))
        .build();
  }

  /// The gate answers, which has the deadline of a second for it.
  private static Probe probe(String what, int periodSeconds) {
    return Probes.exec("pitcrew", "probe", what, "agent")
        .withTimeoutSeconds(PROBE_TIMEOUT_SECONDS)
        .withPeriodSeconds(periodSeconds)
        .withFailureThreshold(3)
        .build();
  }

  /// A pace that the user has given to all operands holds here too: the old agent ends first then,
  /// and no node needs room for two.
  static void paceUpdates(DaemonSetDraft draft, RenderContext context) {
    var daemonsets = context.spec().daemonsets();
    String wanted = requireNonNullElse(daemonsets.rollingUpdate().maxUnavailable(), "");
    boolean isGiven = !wanted.isEmpty() && !wanted.equals(MAX_UNAVAILABLE_OF_REFERENCE);
    if (isGiven || "OnDelete".equals(daemonsets.updateStrategy())) {
      return;
    }
    draft.updateStrategy(
        new DaemonSetUpdateStrategyBuilder()
            .withType("RollingUpdate")
            .withNewRollingUpdate()
            .withMaxSurge(new IntOrString(MAX_SURGE))
            .withMaxUnavailable(new IntOrString(0))
            .endRollingUpdate()
            .build());
  }

  private static Toleration tolerate(String key) {
    return new TolerationBuilder().withKey(key).withOperator("Exists").build();
  }
}
