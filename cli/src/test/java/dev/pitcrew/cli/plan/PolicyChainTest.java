package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.plan.Chain.Mark;
import dev.pitcrew.cli.plan.Chain.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Why a policy is ready or not.
class PolicyChainTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:05:00Z");

  @Test
  void readyPolicy_isOk() {
    Chain chain = explain(policy("ready", "Reconciled", "all is well"), "a 8;b 8");

    assertThat(chain.ok()).isTrue();
    assertThat(chain.subject()).isEqualTo("ClusterPolicy cluster-policy: ready for 5m");
    assertThat(chain.cause()).isEmpty();
    assertThat(chain.next()).isEmpty();
    assertThat(chain.steps())
        .containsExactly(
            new Step(Mark.GOOD, "Reconciled", List.of("all is well")),
            new Step(Mark.GOOD, "nodes with GPUs: 2, all ready", List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Ignored            | x older  | another ClusterPolicy | kubectl delete clusterpolicy cluster-policy",
        "PrerequisiteNotMet | x exists | only one of the two   | kubectl delete clusterpolicy cluster-policy",
        "ReconcileFailed    | spec.a is 'b' | cannot do what it asks for | kubectl edit clusterpolicy cluster-policy",
        "ReconcileFailed    | HTTP 429; it is tried again automatically | could not write | kubectl logs -n gpu-system deploy/gpu-operator",
        "OperandNotReady    | DaemonSet d waits | not everything | kubectl get pods -n gpu-system -o wide",
        "Novel              | m        | Novel                 | kubectl describe clusterpolicy cluster-policy",
      })
  void eachReason_hasACauseAndACommand(String reason, String message, String cause, String next) {
    Chain chain = explain(policy("notReady", reason, message), "a 8");

    assertThat(chain.ok()).isFalse();
    assertThat(chain.cause()).contains(cause);
    assertThat(String.join("\n", chain.next())).contains(next);
    assertThat(chain.steps().getFirst().mark()).isEqualTo(Mark.BAD);
  }

  @Test
  void nodesThatAreBehind_areGroupedAndTheFirstIsNext() {
    Chain chain =
        explain(
            policy("notReady", "OperandNotReady", "ClusterPolicy is not ready; DaemonSet d waits"),
            "a 8;b 8 NotReady=DriverNotReady;c 8 NotReady=GpuUnhealthy;d 8 NotReady=GpuUnhealthy");

    assertThat(chain.steps())
        .containsExactly(
            new Step(Mark.BAD, "OperandNotReady", List.of("DaemonSet d waits")),
            new Step(Mark.NOTE, "nodes with GPUs: 4, 1 ready", List.of()),
            new Step(Mark.BAD, "1 not ready: DriverNotReady", List.of("b", "GPU 0: Xid 79")),
            new Step(Mark.NOTE, "2 not ready: GpuUnhealthy", List.of("c, d", "GPU 0: Xid 79")));
    assertThat(chain.next().getFirst()).isEqualTo("kubectl gpu explain node b");
  }

  @Test
  void unhealthyGpus_leaveThePolicyReady() {
    Chain chain = explain(policy("ready", "Reconciled", "m"), "a 8 NotReady=GpuUnhealthy");

    assertThat(chain.ok()).isTrue();
    assertThat(chain.steps().getLast().mark()).isEqualTo(Mark.NOTE);
  }

  @Test
  void operandsOfTheFleetPolicy_areNamedOnce() {
    Policy fleet =
        Policy.of(
            Policy.Kind.FLEET_POLICY,
            Objects.json(
                """
                metadata: {name: fleet}
                status:
                  operands:
                  - {name: state-driver, state: notReady, desired: 8, ready: 6, message: DaemonSet d waits}
                  - {name: state-mig-manager, state: disabled}
                """));
    Policy policy =
        policy(
            "notReady",
            "OperandNotReady",
            "ClusterPolicy is not ready; DaemonSet d waits; note: n");

    Chain chain = PolicyChain.of(policy, Optional.of(fleet), List.of(), NOW);

    assertThat(chain.steps())
        .containsExactly(
            new Step(Mark.BAD, "OperandNotReady", List.of("note: n")),
            new Step(
                Mark.BAD,
                "operand state-driver: ready on 6 of 8 nodes",
                List.of("DaemonSet d waits")),
            new Step(Mark.NOTE, "no node has a GPU yet", List.of()));
    assertThat(chain.cause()).isEqualTo("operand state-driver is not ready");
  }

  @Test
  void rollOutThatHasFailed_isTheCause_alsoOfAReadyPolicy() {
    Chain chain = explain(policy("ready", "Reconciled", "m"), "a 8 Phase=Failed;b 8 Phase=Drain");

    assertThat(chain.ok()).isFalse();
    assertThat(chain.steps().getLast())
        .isEqualTo(
            new Step(
                Mark.BAD,
                "driver roll-out: 1 under way, 0 wait, 1 failed",
                List.of("b (Drain: pod ml/x)", "failed: a")));
    assertThat(chain.next()).containsExactly("kubectl gpu explain node a");
  }

  @Test
  void statusThatIsOlderThanTheSpec_saysNothingOfIt() {
    Policy policy =
        Policy.of(
            Policy.Kind.CLUSTER_POLICY,
            Objects.json(
                """
                metadata: {name: p, generation: 3}
                status:
                  conditions:
                  - {type: Ready, status: 'True', reason: Reconciled, message: m, observedGeneration: 2}
                """));

    Chain chain = explain(policy, "a 8");

    assertThat(chain.ok()).isFalse();
    assertThat(chain.cause()).isEqualTo("the operator has not looked at its last change yet");
    assertThat(chain.next().getFirst()).contains("kubectl get pods -A -l app=gpu-operator");
  }

  @Test
  void policyWithoutAStatus_leadsToTheOperator() {
    Chain chain =
        explain(Policy.of(Policy.Kind.GPU_CLUSTER, Objects.json("metadata: {name: g}")), "a 8");

    assertThat(chain.subject()).isEqualTo("GPUCluster g: not ready");
    assertThat(chain.cause()).isEqualTo("the operator has not looked at it yet");
    assertThat(chain.next()).anySatisfy(it -> assertThat(it).contains("deploy/gpu-operator"));
  }

  /// The definition allows any text there.
  @Test
  void namespaceThatIsNone_isNoPartOfACommand() {
    Policy policy =
        Policy.of(
            Policy.Kind.CLUSTER_POLICY,
            Objects.json(
                """
                metadata: {name: p}
                status:
                  namespace: 'x; curl evil'
                  conditions: [{type: Error, status: 'True', reason: OperandNotReady, message: m}]
                """));

    assertThat(explain(policy, "a 8").next().getFirst()).isEqualTo("kubectl get pods -A -o wide");
  }

  @Test
  void ofManyNodesAndReasons_fewAreShown() {
    String nodes =
        IntStream.range(0, 500)
            .mapToObj("n%1$d 1 NotReady=R%1$d Phase=Drain"::formatted)
            .reduce((one, other) -> one + ";" + other)
            .orElseThrow();

    Chain chain = explain(policy("notReady", "OperandNotReady", "a; b; c; d; e; f; g"), nodes);

    assertThat(chain.steps()).hasSizeLessThan(12);
    assertThat(chain.steps()).allMatch(it -> it.details().size() <= 6);
    assertThat(chain.steps().getFirst().details()).endsWith("e", "and 2 more");
  }

  @ParameterizedTest
  @CsvSource({
    "ready/A;notReady/B, B",
    "ignored/A;notReady/B, B",
    "ignored/A;ready/B, A",
    "ready/B;ready/A, B",
  })
  void ofSeveral_theOneInForceThatIsNotReadyIsMeant(String policies, String meant) {
    List<Policy> all =
        Stream.of(policies.split(";", -1))
            .map(it -> it.split("/", 2))
            .map(it -> policy(it[0], it[1], "m"))
            .toList();

    assertThat(PolicyChain.choice(all).flatMap(Policy::verdict).orElseThrow().reason())
        .isEqualTo(meant);
  }

  private static Chain explain(Policy policy, String nodes) {
    return PolicyChain.of(policy, Optional.empty(), nodes(nodes), NOW);
  }

  private static List<GpuNode> nodes(String words) {
    return Stream.of(words.split(";", -1)).map(Objects::gpuNode).toList();
  }

  private static Policy policy(String state, String reason, String message) {
    boolean ready = state.equals("ready");
    return Policy.of(
        Policy.Kind.CLUSTER_POLICY,
        Objects.json(
            """
            metadata: {name: cluster-policy}
            status:
              state: %s
              namespace: gpu-system
              conditions:
              - {type: %s, status: 'True', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
            """
                .formatted(state, ready ? "Ready" : "Error", reason, message)));
  }
}
