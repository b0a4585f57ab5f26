package dev.pitcrew.operator.testing;

import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.policy.OperandPlan;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// What a policy comes to on a cluster.
public final class Rendered {
  private final PolicyPlan plan;

  private Rendered(PolicyPlan plan) {
    this.plan = plan;
  }

  public static Rendered of(String policy, Facts facts) {
    return new Rendered(PolicyPlan.of(context(policy, facts), AgentSpec.ABSENT));
  }

  public static RenderContext context(String policy, Facts facts) {
    return new RenderContext(Policies.from(policy), facts.build(), Policies.images());
  }

  public PolicyPlan plan() {
    return plan;
  }

  public List<String> daemonSets() {
    return plan.daemonSets().stream().map(object -> object.getMetadata().getName()).toList();
  }

  public RenderedPods daemonSet(String name) {
    return plan.daemonSets().stream()
        .filter(object -> object.getMetadata().getName().equals(name))
        .findFirst()
        .map(object -> new RenderedPods((DaemonSet) object))
        .orElseThrow(() -> new AssertionError("no " + name + " in " + daemonSets()));
  }

  /// Everything but DaemonSets, as `Kind/name`.
  public List<String> objects() {
    return plan.resources().stream()
        .map(object -> object.getKind() + "/" + object.getMetadata().getName())
        .toList();
  }

  public List<String> objects(String kind) {
    return plan.resources().stream()
        .filter(object -> object.getKind().equals(kind))
        .map(object -> object.getMetadata().getName())
        .toList();
  }

  public <T extends HasMetadata> T object(Class<T> type, String kind, String name) {
    return plan.resources().stream()
        .filter(object -> object.getKind().equals(kind))
        .filter(object -> object.getMetadata().getName().equals(name))
        .findFirst()
        .map(type::cast)
        .orElseThrow(() -> new AssertionError("no " + kind + "/" + name + " in " + objects()));
  }

  public Map<String, Object> fields(String kind, String name) {
    return object(GenericKubernetesResource.class, kind, name).getAdditionalProperties();
  }

  public ConfigMap configMap(String name) {
    return object(ConfigMap.class, "ConfigMap", name);
  }

  /// The messages of what blocks operands.
  public List<String> problems() {
    return plan.problems().stream().map(Problem::message).toList();
  }

  public List<String> reasons() {
    return plan.problems().stream().map(Problem::reason).toList();
  }

  /// The states that are held up.
  public List<String> blocked() {
    return states(OperandPlan.Blocked.class);
  }

  public List<String> wanted() {
    return states(OperandPlan.Wanted.class);
  }

  private List<String> states(Class<? extends OperandPlan> kind) {
    Stream<OperandPlan> plans = plan.operands().stream().filter(kind::isInstance);
    return plans.map(operand -> operand.operand().state()).toList();
  }
}
