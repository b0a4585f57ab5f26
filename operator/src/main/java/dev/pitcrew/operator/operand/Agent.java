package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.render.AgentConfiguration;
import dev.pitcrew.operator.render.AgentImage;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;

/// The node agent: one pod on every Linux node, which finds out by itself whether the node has a
/// GPU.
///
/// @param spec the agent in force
public record Agent(AgentSpec spec) implements Operand {
  /// Annotation of the DaemonSet that records the agent's specification, so that it outlives the
  /// FleetPolicy.
  public static final String MODE = "pitcrew.dev/agent";

  public static final String NAME = "pitcrew-agent";
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .may(rule("", "configmaps", "get", "list", "watch"))
          .mayInCluster(
              rule("", "nodes", "get", "list", "watch", "patch"),
              rule("events.k8s.io", "events", "create", "patch"),
              rule("pitcrew.dev", "gpunodes", "get", "list", "watch", "create"),
              rule("pitcrew.dev", "gpunodes/status", "patch"));

  @Override
  public String state() {
    return "pitcrew-agent";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec policy) {
    return spec.isEnabled();
  }

  @Override
  public boolean needsGpuNodes() {
    return false;
  }

  @Override
  public List<Check> checks() {
    return List.of(context -> AgentImage.problem(spec.image(), context));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    objects.add(AgentConfiguration.configMap(NAME, spec, context));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).withHostPid().object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    draft
        .main()
        .image(AgentImage.path(spec.image(), context))
        .pullPolicy(spec.imagePullPolicyOrDefault());
    draft.pullSecrets(spec.imagePullSecrets());
    OperandSettings.resources(draft, spec.resources());
    OperandSettings.tolerations(draft, spec.tolerations());
    OperandSettings.env(draft.main(), spec.env());
    draft.annotation(MODE, ApiJson.write(spec));
    return List.of(CommonSettings.finish(draft, context));
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.onEveryNode(NAME)
        .openShiftConstraint(NAME)
        .hostPid()
        .container(
            new ContainerDraft(NAME)
                .command("pitcrew")
                .args("agent")
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("POD_NAME", "metadata.name")
                .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
                .env("AGENT_CONFIG_MAP", NAME)
                .port("metrics", 9400)
                .privileged()
                .mountHostRoot()
                .mount("run-nvidia", "/run/nvidia", HOST_TO_CONTAINER)
                .mount("run-nvidia-validations", "/run/nvidia/validations", BIDIRECTIONAL)
                .mount("host-dev", "/dev")
                .mount("device-plugin", "/var/lib/kubelet/device-plugins")
                .mountReadOnly("pod-gpu-resources", "/var/lib/kubelet/pod-resources")
                .mount("cdi-root", "/var/run/cdi")
                .mount("state", "/var/lib/pitcrew"))
        .hostPath("host-root", "/", ANY)
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY_OR_CREATE)
        .hostPath("run-nvidia-validations", "/run/nvidia/validations", DIRECTORY_OR_CREATE)
        .hostPath("host-dev", "/dev", DIRECTORY)
        .hostPath("device-plugin", "/var/lib/kubelet/device-plugins", ANY)
        .hostPath("pod-gpu-resources", "/var/lib/kubelet/pod-resources", ANY)
        .hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE)
        .hostPath("state", "/var/lib/pitcrew", DIRECTORY_OR_CREATE);
  }
}
