package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Toleration;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The node agent: off unless enabled.
public record AgentSpec(
    @Nullable Boolean enabled,
    List<AgentFunction> functions,
    AgentImageSpec image,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    Resources resources,
    List<Toleration> tolerations,
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
    env = Absent.orList(env);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the agent runs.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// Whether the agent provides this function; if not, the reference's operand does.
  public boolean provides(AgentFunction function) {
    return isEnabled() && functions.contains(function);
  }

  /// The same, which runs and provides nothing.
  public AgentSpec withoutFunctions() {
    return new AgentSpec(
        true,
        List.of(),
        image,
        imagePullPolicy,
        imagePullSecrets,
        resources,
        tolerations,
        env,
        unknown);
  }

  /// The pull policy, `IfNotPresent` unless set.
  public String imagePullPolicyOrDefault() {
    return Objects.requireNonNullElse(imagePullPolicy, "IfNotPresent");
  }
}
