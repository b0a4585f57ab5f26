package dev.pitcrew.operator.render;

import static dev.pitcrew.api.fleetpolicy.AgentFunction.CDI;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.METRICS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.MPS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.NODE_STATUS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.RUNTIME;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The functions that the agents are given: those of the FleetPolicy, but for what the container
/// toolkit does on the same nodes. The toolkit sets up the runtime and writes the specification of
/// the devices, and each of the two breaks what another program makes of it: so the agent does both
/// or neither. Where agents leave out nodes, operands keep what can only be provided on all nodes
/// alike.
///
/// @param notices why functions that the FleetPolicy names are left to operands
public record FunctionsInForce(List<AgentFunction> functions, List<String> notices) {
  private static final List<AgentFunction> ON_ALL_NODES = List.of(METRICS, NODE_STATUS, MPS);
  private static final String FIELD = "FleetPolicy spec.agent.functions";

  public FunctionsInForce {
    functions = List.copyOf(functions);
    notices = List.copyOf(notices);
  }

  public static FunctionsInForce of(AgentSpec agent, ClusterPolicySpec policy) {
    if (!agent.isEnabled()) {
      return new FunctionsInForce(List.of(), List.of());
    }
    Optional<String> toolkit = leftToToolkit(agent, policy);
    Optional<String> whole = leftWithNodes(agent);
    var functions = new ArrayList<>(agent.functions());
    if (toolkit.isPresent()) {
      functions.removeAll(List.of(CDI, RUNTIME));
    }
    if (whole.isPresent()) {
      functions.removeAll(ON_ALL_NODES);
    }
    return new FunctionsInForce(
        functions, Stream.concat(toolkit.stream(), whole.stream()).toList());
  }

  /// Whether the agents provide all of these.
  public boolean haveAll(Collection<AgentFunction> wanted) {
    return functions.containsAll(wanted);
  }

  /// A Service selects the pods of an operand or the agents, and daemons of MPS select the same
  /// nodes as the device plugin.
  private static Optional<String> leftWithNodes(AgentSpec agent) {
    List<AgentFunction> left = ON_ALL_NODES.stream().filter(agent.functions()::contains).toList();
    return left.isEmpty() || !agent.leavesOutNodes()
        ? Optional.empty()
        : Optional.of(
            "%s has %s, which operands provide on all nodes while spec.agent.nodeSelector or spec.agent.affinity leaves out some"
                .formatted(
                    FIELD,
                    left.stream()
                        .map(ApiJson::tree)
                        .map(JsonNode::asText)
                        .collect(Collectors.joining(", "))));
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
