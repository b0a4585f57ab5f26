// Long because each way of a node between operand and agent is here.
package dev.pitcrew.operator.policy;

import static dev.pitcrew.api.fleetpolicy.AgentFunction.DEVICE_PLUGIN;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.LABELS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.METRICS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.operator.node.ProviderMoves.Move;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatusBuilder;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Who provides what on which node, decided from what the cluster shows.
class TakeoverPlanTest {
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String EXPORTER = "nvidia-dcgm-exporter";
  private static final String MPS = "nvidia-device-plugin-mps-control-daemon";
  private static final String PLUGIN_LABEL = "nvidia.com/gpu.deploy.device-plugin";
  private static final String EXPORTER_LABEL = "nvidia.com/gpu.deploy.dcgm-exporter";
  private static final String BY_AGENT = "provided-by-agent";

  private final List<DaemonSet> daemonSets = new ArrayList<>();
  private final Map<String, Node> nodes = new TreeMap<>();
  private final Map<String, Set<AgentFunction>> provided = new HashMap<>();
  private String wanted = "{enabled: true, functions: [labels, devicePlugin]}";
  private Optional<DaemonSet> agentSet = Optional.empty();
  private final Set<String> withAgent = new HashSet<>();
  private boolean isKnown = true;

  @Test
  void aNodeChangesOnceItsAgentProvides() {
    agentRuns(wanted);
    has(PLUGIN, 3);
    nodes("true", "n1", "n2", "n3");
    provides("n1", LABELS, DEVICE_PLUGIN);
    provides("n2", LABELS);

    var plan = plan();
    assertThat(move(plan, PLUGIN_LABEL)).isEqualTo(new Move(Set.of("n1"), Set.of()));
    assertThat(plan.agents().areAtWork()).isFalse();
    assertThat(plan.agents().awaited()).containsExactly("n1", "n2", "n3");

    label("n1", BY_AGENT);
    assertThat(plan().agents().awaited()).containsExactly("n2", "n3");
    label("n2", BY_AGENT);
    notReady("n3");
    assertThat(plan().agents().areAtWork()).as("no ready node is left to the operand").isTrue();
    assertThat(move(plan(), PLUGIN_LABEL)).isEqualTo(new Move(Set.of(), Set.of()));
  }

  /// Also while the agents' DaemonSet is being changed, or has no ready pod for a moment.
  @Test
  void nodesThatHaveChangedStayWhileTheDaemonSetIsThere() {
    has(PLUGIN, 1);
    nodes(BY_AGENT, "n1");
    nodes("true", "n2");
    provides("n2", DEVICE_PLUGIN);

    assertThat(move(plan(), PLUGIN_LABEL)).isEqualTo(new Move(Set.of(), Set.of()));
    assertThat(plan().agents().areAtWork()).isFalse();

    daemonSets.clear();
    assertThat(plan().moves().byLabel()).as("true again").doesNotContainKey(PLUGIN_LABEL);
  }

  /// Of what a Service finds, all nodes change together.
  @Test
  void exportersChangeAsAWhole() {
    wanted = "{enabled: true, functions: [labels, metrics]}";
    agentRuns(wanted);
    has(EXPORTER, 2);
    nodes("true", "n1", "n2");
    provides("n1", METRICS);

    assertThat(plan().moves().byLabel()).doesNotContainKey(EXPORTER_LABEL);
    assertThat(plan().agents().awaited()).containsExactly("n2");
    provides("n2", METRICS);
    assertThat(plan().agents().areAtWork()).isTrue();
  }

  /// Its end would end the clients of MPS.
  @Test
  void aNodeWithAnMpsDaemonThatSelectsTheSameLabelChangesWithTheWholeDaemonSet() {
    agentRuns(wanted);
    has(PLUGIN, 2);
    has(MPS, 1);
    nodes("true", "n1", "n2");
    label("n2", "nvidia.com/mps.capable", "true");
    provides("n1", LABELS, DEVICE_PLUGIN);
    provides("n2", LABELS, DEVICE_PLUGIN);

    assertThat(move(plan(), PLUGIN_LABEL).toAgent()).containsExactly("n1");
    label("n1", BY_AGENT);
    assertThat(plan().agents().areAtWork()).isTrue();
  }

  @Test
  void beforeAnOperandComesBackTheNodesOfAgentsAreMarked() {
    agentRuns(wanted);
    nodes("true", "n1", "n2");
    provides("n1", LABELS, DEVICE_PLUGIN);
    wanted = "{enabled: true, functions: [labels]}";

    var plan = plan();
    assertThat(move(plan, PLUGIN_LABEL)).isEqualTo(new Move(Set.of("n1"), Set.of()));
    assertThat(plan.agent().provides(DEVICE_PLUGIN)).as("as before").isTrue();
    assertThat(plan.handingBack()).isEmpty();
    assertThat(plan.agents().returning()).containsExactly("n1");

    label("n1", BY_AGENT);
    var next = plan();
    assertThat(next.agent().provides(DEVICE_PLUGIN)).isFalse();
    assertThat(next.handingBack()).containsExactly(DEVICE_PLUGIN);
    assertThat(move(next, PLUGIN_LABEL))
        .as("no DaemonSet yet")
        .isEqualTo(new Move(Set.of(), Set.of()));
  }

  @Test
  void nothingComesBackBeforeItIsKnownWhatAgentsProvide() {
    agentRuns(wanted);
    nodes("true", "n1");
    wanted = "{enabled: false}";
    isKnown = false;

    assertThat(plan().agent().provides(DEVICE_PLUGIN)).isTrue();
    isKnown = true;
    assertThat(plan().agent().isEnabled()).as("no agent provides it anywhere").isFalse();
  }

  /// @param ready pods of the operand
  /// @param given how many nodes are its own already
  /// @param next how many follow
  @ParameterizedTest
  @CsvSource({
    "30, 0,  0,  3",
    "30, 3,  0,  0",
    "30, 3,  2,  2",
    "30, 3,  3,  3",
    "3,  0,  0,  1",
    "3,  1,  0,  0",
    "3,  1,  1,  1",
  })
  void aTenthOfTheNodesComesBackAtATime(int all, int given, int ready, int next) {
    agentRuns("{enabled: true, functions: [labels]}");
    wanted = "{enabled: true, functions: [labels]}";
    has(PLUGIN, ready);
    IntStream.range(0, all)
        .forEach(number -> nodes(number < given ? "true" : BY_AGENT, "n%02d".formatted(number)));

    var move = move(plan(), PLUGIN_LABEL);
    assertThat(move.toOperand()).hasSize(next);
    assertThat(plan().handingBack()).containsExactly(DEVICE_PLUGIN);
    assertThat(plan().agents().returning()).hasSize(all - given);
  }

  @Test
  void aNodeThatIsNotReadyHoldsUpNoOther() {
    agentRuns("{enabled: true, functions: [labels]}");
    wanted = "{enabled: true, functions: [labels]}";
    has(PLUGIN, 0);
    nodes(BY_AGENT, "n1", "n2");
    notReady("n1");

    assertThat(move(plan(), PLUGIN_LABEL).toOperand()).containsExactlyInAnyOrder("n1", "n2");
  }

  @Test
  void anAgentThatIsSwitchedOffRunsUntilItHasHandedBackEverything() {
    agentRuns("{enabled: true, functions: []}");
    wanted = "{enabled: false, functions: [labels, devicePlugin]}";
    has(PLUGIN, 1);
    nodes("true", "n1");
    nodes(BY_AGENT, "n2");

    assertThat(plan().agent().isEnabled()).isTrue();
    assertThat(plan().agent().functions()).isEmpty();
    label("n2", "true");
    assertThat(plan().agent().isEnabled()).isFalse();
  }

  /// No agent provides it either, so it is not waited for.
  @Test
  void operandThatThePolicyTurnsOff_isNotAwaited() {
    agentRuns(wanted);
    has(PLUGIN, 1);
    nodes("true", "n1");
    provides("n1", LABELS);

    assertThat(plan().agents().awaited()).containsExactly("n1");
    assertThat(plan("devicePlugin: {enabled: false}").agents().areAtWork()).isTrue();
  }

  @Test
  void operandThatThePolicyTurnsOff_isDeployedNowhere() {
    agentRuns(wanted);
    nodes("true", "n1");
    provides("n1", LABELS, DEVICE_PLUGIN);
    wanted = "{enabled: true, functions: [labels]}";

    var plan = plan("devicePlugin: {enabled: false}");
    assertThat(plan.moves().byLabel()).isEmpty();
    assertThat(plan.agent().provides(DEVICE_PLUGIN)).isFalse();
  }

  private static final String SOME =
      "{enabled: true, functions: [labels, devicePlugin, metrics], nodeSelector: {pool: a}}";

  @Test
  void nodesThatTheFleetPolicyLeavesOutKeepTheOperand() {
    wanted = SOME;
    agentRuns(SOME);
    has(PLUGIN, 2);
    nodes("true", "n1", "n2");
    label("n1", "pool", "a");
    provides("n1", LABELS, DEVICE_PLUGIN);

    assertThat(move(plan(), PLUGIN_LABEL)).isEqualTo(new Move(Set.of("n1"), Set.of()));
    assertThat(plan().agents().awaited()).containsExactly("n1");
    label("n1", BY_AGENT);
    assertThat(plan().agents().awaited()).isEmpty();
    assertThat(plan().agents().leaveOutNodes()).as("the DaemonSet stays").isTrue();
    assertThat(move(plan(), PLUGIN_LABEL))
        .as("and the label")
        .isEqualTo(new Move(Set.of(), Set.of()));
    assertThat(plan().agent()).isEqualTo(Policies.agent(SOME));
    assertThat(plan().handingBack()).isEmpty();
  }

  /// Each step is planned from what the step before has left.
  @Test
  void nodesThatTheFleetPolicyComesToLeaveOutGoTheWayBack() {
    var all = "{enabled: true, functions: [labels, devicePlugin, metrics]}";
    agentRuns(all);
    nodes("true", "n1", "n2");
    label("n1", "pool", "a");
    provides("n1", LABELS, DEVICE_PLUGIN, METRICS);
    provides("n2", LABELS, DEVICE_PLUGIN, METRICS);
    withAgent.addAll(Set.of("n1", "n2"));
    wanted = SOME;

    assertThat(move(plan(), PLUGIN_LABEL).toAgent())
        .as("marked")
        .containsExactlyInAnyOrder("n1", "n2");
    assertThat(plan().agent()).isEqualTo(Policies.agent(all));
    assertThat(plan().agents().leaveOutNodes()).as("no DaemonSet yet").isFalse();

    nodes.keySet().forEach(node -> label(node, BY_AGENT));
    assertThat(plan().agents().leaveOutNodes()).as("the DaemonSet comes").isTrue();
    assertThat(plan().agents().returning()).containsExactly("n2");
    assertThat(plan().handingBack()).contains(DEVICE_PLUGIN);
    assertThat(plan().agent().nodeSelector()).as("they stay where they are").isEmpty();
    assertThat(plan().agent().provides(DEVICE_PLUGIN)).isFalse();
    agentRuns(ApiJson.write(plan().agent()));

    has(PLUGIN, 0);
    assertThat(move(plan(), PLUGIN_LABEL)).isEqualTo(new Move(Set.of(), Set.of("n2")));
    label("n2", "true");
    assertThat(plan().agents().returning()).isEmpty();
    assertThat(plan().handingBack()).contains(DEVICE_PLUGIN);
    assertThat(plan().agent().nodeSelector()).as("they leave").containsKey("pool");
    agentRuns(ApiJson.write(plan().agent()));

    assertThat(plan().agent().provides(DEVICE_PLUGIN)).as("the agent of n2 ends").isFalse();
    isKnown = false;
    withAgent.remove("n2");
    assertThat(plan().agent().provides(DEVICE_PLUGIN)).isFalse();
    isKnown = true;
    assertThat(plan().agent()).isEqualTo(Policies.agent(SOME));
    assertThat(plan().handingBack()).isEmpty();
    agentRuns(SOME);
    isKnown = false;
    assertThat(plan().agent())
        .as("an operator that has just started")
        .isEqualTo(Policies.agent(SOME));
  }

  @Test
  void nodesThatAreNotLeftOutAnyMoreBecomeTheAgents() {
    var all = "{enabled: true, functions: [labels, devicePlugin]}";
    wanted = all;
    agentRuns(SOME);
    has(PLUGIN, 1);
    nodes(BY_AGENT, "n1");
    nodes("true", "n2");
    label("n1", "pool", "a");

    assertThat(plan().agent()).isEqualTo(Policies.agent(all));
    assertThat(plan().agents().awaited()).containsExactly("n2");
    assertThat(move(plan(), PLUGIN_LABEL)).isEqualTo(new Move(Set.of(), Set.of()));
  }

  @Test
  void anAgentOfSomeNodesThatIsSwitchedOffHandsBackItsNodes() {
    wanted = SOME.replace("enabled: true", "enabled: false");
    agentRuns(SOME);
    has(PLUGIN, 1);
    nodes(BY_AGENT, "n1");
    nodes("true", "n2");
    label("n1", "pool", "a");

    assertThat(plan().agents().returning()).containsExactly("n1");
    assertThat(plan().agent().nodeSelector()).containsKey("pool");
    assertThat(plan().agents().leaveOutNodes()).isFalse();
  }

  /// The daemons select the nodes of the device plugin, and would end.
  @Test
  void aNodeWithAnMpsDaemonIsNamedUntilItIsLeftOut() {
    wanted = SOME;
    agentRuns(SOME);
    has(PLUGIN, 1);
    has(MPS, 1);
    nodes("true", "n1");
    label("n1", "pool", "a");
    label("n1", "nvidia.com/mps.capable", "true");
    provides("n1", LABELS, DEVICE_PLUGIN);

    assertThat(plan().agents().awaited()).containsExactly("n1");
    assertThat(move(plan(), PLUGIN_LABEL).toAgent()).isEmpty();
    label("n1", "pool", "b");
    assertThat(plan().agents().awaited()).isEmpty();
  }

  private TakeoverPlan plan() {
    return plan("");
  }

  private TakeoverPlan plan(String policy) {
    return TakeoverPlan.of(
        new TakeoverSituation(
            Policies.agent(wanted),
            AgentInForce.placement(Policies.agent(wanted)),
            Policies.from(policy),
            agentSet,
            daemonSets,
            nodes.values(),
            Readiness::isNodeReady,
            node -> provided.getOrDefault(node.getMetadata().getName(), Set.of()),
            isKnown,
            node -> withAgent.contains(node.getMetadata().getName()),
            daemonSet -> daemonSet.getStatus().getNumberReady()));
  }

  private static Move move(TakeoverPlan plan, String label) {
    assertThat(plan.moves().byLabel()).containsKey(label);
    return Objects.requireNonNull(plan.moves().byLabel().get(label));
  }

  private void agentRuns(String agent) {
    agentSet =
        Optional.of(
            new DaemonSetBuilder()
                .withNewMetadata()
                .withName(Agent.NAME)
                .withGeneration(1L)
                .addToAnnotations(Agent.MODE, ApiJson.write(Policies.agent(agent)))
                .endMetadata()
                .withNewStatus()
                .withObservedGeneration(1L)
                .withNumberReady(1)
                .endStatus()
                .build());
  }

  /// As the operator renders it.
  private void has(String name, int ready) {
    var daemonSet =
        Rendered.of("", Facts.oneNode()).plan().daemonSets().stream()
            .filter(it -> it.getMetadata().getName().equals(name))
            .map(DaemonSet.class::cast)
            .findFirst()
            .orElseThrow();
    daemonSets.add(
        new DaemonSetBuilder(daemonSet)
            .withStatus(new DaemonSetStatusBuilder().withNumberReady(ready).build())
            .build());
  }

  private void nodes(String value, String... names) {
    for (var name : names) {
      nodes.put(
          name,
          new NodeBuilder(NodeTemplate.gpu("n").node(1))
              .editMetadata()
              .withName(name)
              .endMetadata()
              .build());
      label(name, value);
      label(name, EXPORTER_LABEL, "true");
    }
  }

  private void label(String node, String value) {
    label(node, PLUGIN_LABEL, value);
  }

  private void label(String node, String key, String value) {
    nodes.computeIfPresent(
        node,
        (_, it) ->
            new NodeBuilder(it).editMetadata().addToLabels(key, value).endMetadata().build());
  }

  private void notReady(String node) {
    nodes.computeIfPresent(
        node,
        (_, it) ->
            new NodeBuilder(it)
                .editStatus()
                .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                .withStatus("False")
                .endCondition()
                .endStatus()
                .build());
  }

  private void provides(String node, AgentFunction... functions) {
    provided.put(node, new HashSet<>(List.of(functions)));
  }
}
