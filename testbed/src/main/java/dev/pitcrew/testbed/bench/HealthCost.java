package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What the agent's function `health` costs a node on which nothing happens.
record HealthCost(AgentUnderTest agent) {
  private static final String FUNCTION = "health";
  private static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /// An idle minute of the agent.
  ///
  /// @param cpu of its JVM
  /// @param workingSetMib of its container
  /// @param calls to the API server, of all agents
  record Idle(Duration cpu, double workingSetMib, List<Request> calls) {
    Idle {
      calls = List.copyOf(calls);
    }

    @Override
    public String toString() {
      return "%d ms of CPU, %.1f MiB working set, %d calls"
          .formatted(cpu.toMillis(), workingSetMib, calls.size());
    }
  }

  record Cost(Idle without, Idle with) {}

  /// Switches the function on for the second half, and off again.
  Cost measured() {
    List<String> before = functions();
    var others = new ArrayList<>(before);
    others.remove(FUNCTION);
    var all = new ArrayList<>(others);
    all.add(FUNCTION);
    try {
      Idle without = minute(others, false);
      return new Cost(without, minute(all, true));
    } finally {
      provide(before);
    }
  }

  private Idle minute(List<String> functions, boolean isOn) {
    provide(functions);
    Await.orFail(
        AgentUnderTest.LIMIT,
        "the agents did not take the functions over",
        () -> hasCondition() == isOn);
    agent.calls().awaitQuiet(QUIET, AgentUnderTest.LIMIT);
    long process = agent.processes(agent.cluster().server()).agent().orElseThrow().id();
    var begin = Instant.now();
    Duration cpu = ProcessFigures.of(process).cpu();
    Await.pause(MINUTE);
    return new Idle(
        ProcessFigures.of(process).cpu().minus(cpu),
        PodMemory.of(agent.processes(agent.cluster().server())).container().workingSetMib(),
        agent.calls().between(begin, begin.plus(MINUTE)));
  }

  /// The Node has it while the function is on.
  private boolean hasCondition() {
    var name = agent.cluster().server().name();
    var live = agent.cluster().controlPlane().client().nodes().withName(name).require();
    return live.getStatus().getConditions().stream()
        .anyMatch(condition -> condition.getType().equals("GPUHealthy"));
  }

  private List<String> functions() {
    List<?> live = policy().require().get("spec", "agent", "functions");
    return live.stream().map(String::valueOf).toList();
  }

  private void provide(List<String> functions) {
    policy()
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"agent\":{\"functions\":[\"%s\"]}}}"
                .formatted(String.join("\",\"", functions)));
  }

  private Resource<GenericKubernetesResource> policy() {
    return agent
        .cluster()
        .controlPlane()
        .client()
        .genericKubernetesResources(Definitions.FLEET_POLICY)
        .withName("fleet");
  }
}
