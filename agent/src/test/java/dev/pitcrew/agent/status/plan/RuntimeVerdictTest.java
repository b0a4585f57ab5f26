package dev.pitcrew.agent.status.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.api.node.NriPhase;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What is said of the container runtime.
class RuntimeVerdictTest {
  private static final Optional<NriState> SERVED =
      Optional.of(new NriState(NriState.Reason.SERVED, "it asks"));
  private static final Optional<NriState> NOT_SERVED =
      Optional.of(new NriState(NriState.Reason.NOT_SERVED, "switch it on"));

  @ParameterizedTest
  @CsvSource({
    "READY, '', True HandlersReady",
    "REFUSED, '', False NoRuntimeHandler",
    "REFUSED, /etc/other, False RuntimeConfigurationRefused",
    "NOT_WRITTEN, /etc/other, False RuntimeConfigurationNotWritten",
    "NOT_RESTARTED, '', False RuntimeNotRestarted",
    "CDI_DISABLED, /etc/other, False CDIDisabled",
    "CDI_DISABLED, '', False CDIDisabled",
    "LEFT_ALONE, '', False NoRuntimeHandler",
    "LEFT_ALONE, /etc/other, True RuntimeLeftAlone"
  })
  void aConditionNamesWhatIsSo(Phase phase, String file, String wanted) {
    List<String> files = file.isEmpty() ? List.of() : List.of(file);
    Condition condition =
        condition(facts(new RuntimeFacts(true, state(phase), SERVED, Optional.empty(), files)));
    assertThat(condition.status() + " " + condition.reason()).isEqualTo(wanted);
    assertThat(condition.message()).contains("the words");
  }

  @Test
  void withoutAHookThatRunsNoContainerStartsThatAsksByVariable() {
    var runtime =
        new RuntimeFacts(
            true, state(Phase.READY), SERVED, Optional.of("it cannot run: mount it"), List.of());
    Condition condition = condition(facts(runtime));
    assertThat(condition.isTrue()).isFalse();
    assertThat(condition.reason()).isEqualTo("CDIHookCannotRun");
    assertThat(condition.message())
        .isEqualTo(
            "the words; but no container starts that asks for GPUs by variable: it cannot run: mount it");
  }

  @Test
  void aClosedDoorForPluginsIsSaidThoughPodsWithResourcesGetTheirs() {
    Condition condition =
        condition(
            facts(
                new RuntimeFacts(
                    true, state(Phase.READY), NOT_SERVED, Optional.empty(), List.of())));
    assertThat(condition.isTrue()).isTrue();
    assertThat(condition.reason()).isEqualTo("NriNotServed");
    assertThat(condition.message()).isEqualTo("the words; but switch it on");
  }

  @Test
  void runtimeThatIsNotTheAgents_isNotReported() {
    GpuNodeStatus status = report(facts(RuntimeFacts.NONE), GpuNodeStatus.ABSENT);
    assertThat(status.condition(NodeCondition.RUNTIME_READY)).isEmpty();
    assertThat(status.runtime().isAbsent()).isTrue();
  }

  @Test
  void restartOfTheAgent_changesNothing() {
    GpuNodeStatus before =
        report(
            facts(new RuntimeFacts(true, state(Phase.READY), SERVED, Optional.empty(), List.of())),
            GpuNodeStatus.ABSENT);
    assertThat(before.runtime().name()).isEqualTo("containerd");
    assertThat(before.runtime().handlers()).containsExactly("nvidia");
    assertThat(before.runtime().nri()).isEqualTo(NriPhase.ON);
    var unseen =
        new RuntimeFacts(true, Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    GpuNodeStatus after = report(facts(unseen), before);
    assertThat(after.runtime()).isEqualTo(before.runtime());
    assertThat(after.condition(NodeCondition.RUNTIME_READY))
        .isEqualTo(before.condition(NodeCondition.RUNTIME_READY));
  }

  @Test
  void aHandlerThatIsMissingIsAnEventAndSoIsItsReturn() {
    GpuNodeStatus good =
        report(
            facts(new RuntimeFacts(true, state(Phase.READY), SERVED, Optional.empty(), List.of())),
            GpuNodeStatus.ABSENT);
    GpuNodeStatus bad =
        report(
            facts(
                new RuntimeFacts(true, state(Phase.REFUSED), SERVED, Optional.empty(), List.of())),
            good);
    assertThat(Transitions.of(good, bad))
        .extracting(NodeEvent::reason)
        .contains("NoRuntimeHandler");
    assertThat(Transitions.of(bad, good)).extracting(NodeEvent::reason).contains("RuntimeReady");
  }

  private static Optional<RuntimeState> state(Phase phase) {
    return Optional.of(
        new RuntimeState(
            phase,
            "containerd",
            "containerd v2.1.4",
            "/etc/containerd/config.toml",
            List.of("nvidia"),
            "the words"));
  }

  private static NodeFacts facts(RuntimeFacts runtime) {
    NodeFacts well = TestNode.well(2).facts();
    return new NodeFacts(
        well.agent(),
        well.snapshot(),
        well.pci(),
        well.driver(),
        well.offered(),
        well.sharing(),
        well.problems(),
        well.plugin(),
        well.validation(),
        well.host(),
        runtime,
        Optional.empty(),
        well.resets());
  }

  private static Condition condition(NodeFacts facts) {
    return report(facts, GpuNodeStatus.ABSENT).condition(NodeCondition.RUNTIME_READY).orElseThrow();
  }

  private static GpuNodeStatus report(NodeFacts facts, GpuNodeStatus before) {
    return GpuNodeReport.of(facts, before, Instant.EPOCH);
  }
}
