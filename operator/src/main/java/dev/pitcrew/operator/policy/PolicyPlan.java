package dev.pitcrew.operator.policy;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.core.policy.PolicyNotices;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.operand.GpuDetector;
import dev.pitcrew.operator.operand.MpsSupervisor;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.operand.driver.Driver;
import dev.pitcrew.operator.operand.driver.OwnManagerContainer;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.FunctionsInForce;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Everything that a ClusterPolicy asks for, operand by operand.
///
/// @param notices what the user should know of the policy, though nothing is held up by it
public record PolicyPlan(List<OperandPlan> operands, List<String> notices) {

  /// Plans every operand separately, so that an error in one does not affect the others.
  ///
  /// @param agent the node agent in force, which replaces the operands whose functions it provides
  public static PolicyPlan of(RenderContext context, AgentSpec agent) {
    return of(context, agent, AgentOrders.NONE);
  }

  /// As the other.
  ///
  /// @param orders how the agents are configured beside their functions
  public static PolicyPlan of(RenderContext context, AgentSpec agent, AgentOrders orders) {
    Optional<Problem> shared = CommonSettings.problem(context);
    var functions = FunctionsInForce.of(agent, context.spec());
    boolean areReplaced = !context.facts().agents().leaveOutNodes();
    Stream<OperandPlan> operands =
        Operands.ALL.stream()
            .map(operand ->
                functions.haveAll(List.of(AgentFunction.MPS))
                    ? MpsSupervisor.inPlaceOf(operand, agent, orders.dra())
                    : operand)
            .map(operand ->
                areReplaced
                        && operand.isEnabled(context.spec())
                        && AgentFunctions.replace(operand, functions)
                    ? replaced(operand, context)
                    : plan(operand, shared, context, new OwnManagerContainer(agent)));
    return new PolicyPlan(
        Stream.concat(
                operands,
                Stream.of(new GpuDetector(agent), new Agent(agent, orders))
                    .map(operand -> plan(operand, shared, context, OwnManagerContainer.OFF)))
            .toList(),
        Stream.of(PolicyNotices.of(fields(context.spec())), functions.notices())
            .flatMap(List::stream)
            .toList());
  }

  private static Map<?, ?> fields(ClusterPolicySpec spec) {
    return KubernetesJson.MAPPER.convertValue(ApiJson.tree(spec), Map.class);
  }

  /// Objects that must exist, in the order in which they should come to be: what pods refer to
  /// before the pods.
  public List<HasMetadata> resources() {
    var objects = new ArrayList<HasMetadata>();
    for (OperandPlan plan : operands) {
      switch (plan) {
        case OperandPlan.Wanted wanted -> objects.addAll(wanted.resources());
        case OperandPlan.WithoutNodes waiting -> objects.addAll(waiting.resources());
        case OperandPlan.Blocked blocked -> objects.addAll(blocked.resources());
        case OperandPlan.Replaced replaced -> objects.addAll(replaced.wanted());
        case OperandPlan.InvalidLayout _, OperandPlan.HandedOver _ -> {}
      }
    }
    return objects;
  }

  public List<HasMetadata> daemonSets() {
    var objects = new ArrayList<HasMetadata>();
    for (OperandPlan plan : operands) {
      if (plan instanceof OperandPlan.Wanted wanted) {
        objects.addAll(wanted.daemonSets());
      }
    }
    return objects;
  }

  /// Whether nodes are labelled with their features by the agent, and not by node feature
  /// discovery.
  public boolean agentLabelsNodes() {
    return operands.stream()
        .anyMatch(plan ->
            plan instanceof OperandPlan.Wanted wanted
                && wanted.operand() instanceof Agent agent
                && agent.spec().provides(AgentFunction.LABELS));
  }

  /// What blocks operands, in their order.
  public List<Problem> problems() {
    return operands.stream()
        .flatMap(plan ->
            plan instanceof OperandPlan.Blocked blocked
                ? Optional.of(blocked.problem()).stream()
                : Optional.<Problem>empty().stream())
        .distinct()
        .toList();
  }

  private static OperandPlan replaced(Operand operand, RenderContext context) {
    return new OperandPlan.Replaced(
        operand,
        operand.resources(context),
        operand.ofAgent(context),
        context.facts().agents().areAtWork());
  }

  private static OperandPlan plan(
      Operand operand,
      Optional<Problem> shared,
      RenderContext context,
      OwnManagerContainer manager) {
    if (operand.isHandedOver(context.spec())) {
      return new OperandPlan.HandedOver(operand, operand.resources(context));
    }
    if (!operand.isEnabled(context.spec())) {
      return new OperandPlan.InvalidLayout(operand);
    }
    List<HasMetadata> resources = manager.rightsIn(operand.resources(context), context);
    // The pods of drivers are replaced by roll-outs of drivers alone.
    boolean isUpdated = !operand.daemonSetName().isEmpty() && !(operand instanceof Driver);
    Optional<Problem> problem =
        isUpdated
            ? shared.or(() -> Check.first(operand.checks(), context))
            : Check.first(operand.checks(), context);
    if (problem.isPresent()) {
      return new OperandPlan.Blocked(operand, resources, problem.get());
    }
    if (operand.needsGpuNodes() && !context.facts().hasGpuNodes()) {
      return new OperandPlan.WithoutNodes(operand, resources);
    }
    return new OperandPlan.Wanted(
        operand, resources, manager.in(operand.daemonSets(context), context));
  }
}
