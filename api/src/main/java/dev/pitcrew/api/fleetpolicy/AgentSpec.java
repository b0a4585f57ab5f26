package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Toleration;
import dev.pitcrew.api.Unknown;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The node agent: off unless enabled.
///
/// @param nodeSelector labels of the nodes with agents; empty for all nodes with GPUs
/// @param affinity the same as an `Affinity`, of which only the required node affinity is known
public record AgentSpec(
    @Nullable Boolean enabled,
    List<AgentFunction> functions,
    AgentImageSpec image,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    Resources resources,
    List<Toleration> tolerations,
    Map<String, String> nodeSelector,
    Map<String, JsonNode> affinity,
    List<EnvVar> env,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final AgentSpec ABSENT = Absent.of(AgentSpec.class);

  public AgentSpec {
    functions = Absent.orList(functions);
    image = Objects.requireNonNullElse(image, AgentImageSpec.ABSENT);
    imagePullSecrets = Absent.orList(imagePullSecrets);
    resources = Objects.requireNonNullElse(resources, Resources.ABSENT);
    tolerations = Absent.orList(tolerations);
    nodeSelector = Absent.orMap(nodeSelector);
    affinity = Absent.orMap(affinity);
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the agent runs.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// Whether the agent provides this function; if not, NVIDIA's operand does.
  public boolean provides(AgentFunction function) {
    return isEnabled() && functions.contains(function);
  }

  /// Whether nodes with GPUs may be left out, whose functions operands provide then.
  public boolean leavesOutNodes() {
    return !nodeSelector.isEmpty() || !affinity.isEmpty();
  }

  /// The same, which runs and provides nothing.
  public AgentSpec withoutFunctions() {
    return with(true, List.of(), nodeSelector, affinity);
  }

  /// The same without some functions.
  public AgentSpec without(Collection<AgentFunction> left) {
    return with(
        enabled,
        functions.stream().filter(it -> !left.contains(it)).toList(),
        nodeSelector,
        affinity);
  }

  /// The same on the nodes of another one.
  public AgentSpec onNodesOf(AgentSpec other) {
    return with(enabled, functions, other.nodeSelector, other.affinity);
  }

  private AgentSpec with(
      @Nullable Boolean newEnabled,
      List<AgentFunction> newFunctions,
      Map<String, String> newNodeSelector,
      Map<String, JsonNode> newAffinity) {
    return new AgentSpec(
        newEnabled,
        newFunctions,
        image,
        imagePullPolicy,
        imagePullSecrets,
        resources,
        tolerations,
        newNodeSelector,
        newAffinity,
        env,
        unknown);
  }

  /// The pull policy, `IfNotPresent` unless set.
  public String imagePullPolicyOrDefault() {
    return Objects.requireNonNullElse(imagePullPolicy, "IfNotPresent");
  }
}
