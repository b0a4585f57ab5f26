package dev.pitcrew.operator.render;

import static dev.pitcrew.api.fleetpolicy.AgentFunction.CDI;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.RUNTIME;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The functions that the agents are given: those of the FleetPolicy, but for what the container
/// toolkit does on the same nodes. The toolkit sets up the runtime and writes the specification of
/// the devices, and each of the two spoils what somebody else makes of it: so the agent does both
/// or neither.
///
/// @param notices why a function that the FleetPolicy names is left to the toolkit
public record FunctionsInForce(List<AgentFunction> functions, List<String> notices) {
  private static final String FIELD = "FleetPolicy spec.agent.functions";

  public FunctionsInForce {
    functions = List.copyOf(functions);
    notices = List.copyOf(notices);
  }

  public static FunctionsInForce of(AgentSpec agent, ClusterPolicySpec policy) {
    if (!agent.isEnabled()) {
      return new FunctionsInForce(List.of(), List.of());
    }
    Optional<String> notice = leftToToolkit(agent, policy);
    var functions = new ArrayList<>(agent.functions());
    if (notice.isPresent()) {
      functions.removeAll(List.of(CDI, RUNTIME));
    }
    return new FunctionsInForce(functions, notice.stream().toList());
  }

  /// Whether the agents provide all of these.
  public boolean haveAll(Collection<AgentFunction> wanted) {
    return functions.containsAll(wanted);
  }

  private static Optional<String> leftToToolkit(AgentSpec agent, ClusterPolicySpec policy) {
    boolean cdi = agent.functions().contains(CDI);
    boolean runtime = agent.functions().contains(RUNTIME);
    if (!policy.toolkit().isEnabled() || !(cdi || runtime)) {
      return Optional.empty();
    }
    if (!policy.cdi().isEnabled()) {
      return Optional.of(
          FIELD
              + (cdi && runtime ? " has cdi and runtime" : runtime ? " has runtime" : " has cdi")
              + ", but spec.cdi.enabled is \"false\", and without CDI only the container toolkit sets a runtime up: it goes on; set spec.cdi.enabled to true for the agent to do it");
    }
    return cdi && runtime
        ? Optional.empty()
        : Optional.of(
            "%s has %s but not %s: the container toolkit does both, and goes on with both; add %s, or set spec.toolkit.enabled to false where the hosts are set up already"
                .formatted(
                    FIELD,
                    cdi ? "cdi" : "runtime",
                    cdi ? "runtime" : "cdi",
                    cdi ? "runtime" : "cdi"));
  }
}
