package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// A user asks for an upgrade of a node that failed with the very driver that is wanted: it is
/// tried once more, with a driver pod of its own, and counts for the driver as the first time.
class AskedAgainTest {
  private static final String FAILURE = "DRIVER 2 it crashed";

  private final UpgradeSteps steps = new UpgradeSteps(Rules.policy("{autoUpgrade: true}"), NOW);

  @Test
  void itsDriverPodIsReplaced() {
    Move asked = steps.step(failed().noting(UpgradeMarks.REQUESTED, "true").observed());
    assertThat(asked.node().state()).isEqualTo(UPGRADE_REQUIRED);

    UpgradeNode begun = steps.start(asked.node());
    assertThat(begun.marks().failure()).isPresent();
    assertThat(begun.marks().sameDriver()).isFalse();

    Move replaced = steps.step(begun.in(POD_RESTART_REQUIRED, NOW));
    assertThat(replaced.node().state()).isEqualTo(POD_RESTART_REQUIRED);
    assertThat(replaced.effects())
        .containsExactly(new Effect.DeleteDriver(begun.driver().orElseThrow().name()));
  }

  @Test
  void podsThatHoldAGpuLeaveBefore() {
    Given node = restarting(Start.CRASHING).noting(UpgradeMarks.FAILURE, FAILURE);

    Move move = steps.step(node.gpuPod(NodePod.Owner.CONTROLLER).observed());

    assertThat(move.node().state()).isEqualTo(UpgradeState.POD_DELETION_REQUIRED);
  }

  /// Else it would count against the driver that comes now.
  @Test
  void aFailureWithAnotherDriverIsForgottenWhenTheNodeBegins() {
    UpgradeNode former = failed().noting(UpgradeMarks.FAILURE, "DRIVER 3 it crashed").observed();
    UpgradeNode outdated = node().noting(UpgradeMarks.FAILURE, FAILURE).observed();

    assertThat(steps.start(former).marks().failure()).isEmpty();
    assertThat(steps.start(outdated).marks().failure()).isEmpty();
  }

  @Test
  void driverPod_isDeletedOnce() {
    Given node = restarting(Start.CRASHING).noting(UpgradeMarks.FAILURE, FAILURE).driverEnding();

    assertThat(steps.step(node.observed()).effects()).isEmpty();
  }

  @Test
  void theNewPodHasAllItsTries() {
    Given node = restarting(Start.STARTING).noting(UpgradeMarks.FAILURE, FAILURE);

    Move move = steps.step(node.observed());

    assertThat(move.node().state()).isEqualTo(POD_RESTART_REQUIRED);
    assertThat(move.effects()).isEmpty();
    assertThat(move.node().marks().failure()).isEmpty();
  }

  @Test
  void whenItCrashesAsWellTheNodeHasFailedWithTheDriverAgain() {
    UpgradeNode again = steps.step(restarting(Start.CRASHING).observed()).node();

    assertThat(again.state()).isEqualTo(FAILED);
    assertThat(again.marks().failure())
        .hasValueSatisfying(it -> assertThat(it.target()).isEqualTo("2"));
    assertThat(again.marks().sameDriver()).isFalse();
  }

  private static Given failed() {
    return node()
        .in(FAILED)
        .cordoned()
        .newDriver(Start.CRASHING)
        .noting(UpgradeMarks.FAILURE, FAILURE)
        .since(Duration.ofMinutes(1));
  }

  private static Given restarting(Start start) {
    return node().in(POD_RESTART_REQUIRED).cordoned().newDriver(start).since(Duration.ofMinutes(1));
  }
}
