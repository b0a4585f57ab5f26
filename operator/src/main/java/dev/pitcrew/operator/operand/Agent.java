package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.render.AgentConfiguration;
import dev.pitcrew.operator.render.AgentImage;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The node agent: one pod on every Linux node with an NVIDIA GPU. It is privileged, so it is on no
/// other: there, the [GpuDetector] waits for a GPU.
///
/// @param spec the agent in force
/// @param orders how it is configured beside its functions
public record Agent(AgentSpec spec, AgentOrders orders) implements Operand {
  /// Annotation of the DaemonSet that records the agent's specification, so that it outlives the
  /// FleetPolicy.
  public static final String MODE = "pitcrew.dev/agent";

  public static final String NAME = "pitcrew-agent";

  private static final String CLAIMS_ROLE = "pitcrew-agent-dra";

  private static final String DOMAINS_ROLE = "pitcrew-agent-computedomains";

  private static final Identity IDENTITY =
      Identity.named(NAME)
          .may(rule("", "configmaps", "get", "list", "watch"), rule("apps", "daemonsets", "get"))
          .mayInCluster(
              rule("", "nodes", "get", "list", "watch", "patch"),
              rule("", "nodes/status", "patch"),
              rule("events.k8s.io", "events", "create", "patch"),
              rule("pitcrew.dev", "gpunodes", "get", "list", "watch", "create", "patch"),
              rule("pitcrew.dev", "gpunodes/status", "patch"));

  /// What DRA drivers need besides: claims to prepare, and the slices of their node. The
  /// ValidatingAdmissionPolicy `pitcrew-agent-resourceslices` holds them to those.
  private static final List<PolicyRule> CLAIM_RULES =
      List.of(
          rule("resource.k8s.io", "resourceclaims", "get", "list"),
          rule(
              "resource.k8s.io",
              "resourceslices",
              "get",
              "list",
              "watch",
              "create",
              "update",
              "delete"));

  /// What claims for ComputeDomains wait for.
  private static final List<PolicyRule> DOMAIN_RULES =
      List.of(
          rule("resource.nvidia.com", "computedomains", "get", "list", "watch"),
          rule("resource.nvidia.com", "computedomaincliques", "get", "list", "watch"));

  /// What lets agents look at pods, under the name that an operand's role has.
  static List<HasMetadata> readPods(String role, Map<String, String> labels, String namespace) {
    return IDENTITY.clusterWide(
        role, labels, List.of(rule("", "pods", "get", "list", "watch")), namespace);
  }

  /// Makes a Service of an operand one of the agents that do its work.
  static Service serve(Service service) {
    service.getSpec().setSelector(Map.of("app", NAME));
    return service;
  }

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
    if (spec.provides(AgentFunction.DRA)) {
      objects.addAll(IDENTITY.clusterWide(CLAIMS_ROLE, Map.of(), CLAIM_RULES, context.namespace()));
      if (orders.dra().computeDomains().isEnabled()) {
        objects.addAll(
            IDENTITY.clusterWide(DOMAINS_ROLE, Map.of(), DOMAIN_RULES, context.namespace()));
      }
    }
    objects.add(AgentConfiguration.configMap(NAME, spec, orders, context));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).withHostPid().object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(AgentPod.shape(NAME), context);
    draft
        .main()
        .image(AgentImage.path(spec.image(), context))
        .pullPolicy(spec.imagePullPolicyOrDefault());
    spec.nodeSelector().forEach(draft::onNodesWith);
    draft.onNodesWith(NodeLabels.GPU_PRESENT, "true");
    if (!spec.affinity().isEmpty()) {
      draft.affinity(OperandSettings.affinity(spec.affinity()));
    }
    draft.pullSecrets(spec.imagePullSecrets()).addTolerations(AgentPod.TOLERATIONS);
    if (spec.provides(AgentFunction.DRA)) {
      AgentPod.serveClaims(draft, context);
    }
    AgentPod.paceUpdates(draft, context);
    OperandSettings.resources(draft, spec.resources());
    OperandSettings.tolerations(draft, spec.tolerations());
    OperandSettings.env(draft.main(), spec.env());
    draft.annotation(MODE, ApiJson.write(spec));
    return List.of(CommonSettings.finish(draft, context));
  }
}
