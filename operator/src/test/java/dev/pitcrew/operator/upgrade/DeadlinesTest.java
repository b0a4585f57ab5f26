package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_DELETION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.WAIT_FOR_JOBS_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When the time of a state begins, and when it never ends.
class DeadlinesTest {
  private static final String DEFAULTS = "{autoUpgrade: true}";

  /// As where a third one is wanted while the second does not start, or the operator was away
  /// between its note and the deletion.
  @Test
  void aDriverHasItsWholeTimeToStartFromTheDeletionOfTheOneBefore() {
    Move move = step(restarted(Duration.ofMinutes(30).minusSeconds(1)), DEFAULTS);

    assertThat(move.effects()).singleElement().isInstanceOf(Effect.DeleteDriver.class);
    assertThat(move.node().marks().since()).contains(NOW);
    assertThat(move.waiting().deadline()).contains(NOW.plusSeconds(1800));
  }

  /// Nor is it written again with each look, while a deletion is refused.
  @Test
  void aMomentIsNotWorthAWrite() {
    UpgradeNode node = restarted(Duration.ofSeconds(59)).observed();

    assertThat(new UpgradeSteps(Rules.policy(DEFAULTS), NOW).step(node).node()).isEqualTo(node);
  }

  /// As where no operator ran meanwhile.
  @Test
  void podsWithoutAnEvictionRequest_haveTheirWholeTime() {
    Move move = step(evicted(Duration.ofDays(1)), DEFAULTS);

    assertThat(move.node().marks().since()).contains(NOW);
    assertThat(move.waiting().deadline()).contains(NOW.plusSeconds(300));
    assertThat(move.node().podsAsked()).isTrue();
  }

  /// Else one that is killed every minute would put it off for ever.
  @Test
  void anOperatorThatComesBeforeTheDeadlineDoesNotPutItOff() {
    Move move = step(evicted(Duration.ofSeconds(299)), DEFAULTS);

    assertThat(move.node().marks().since()).contains(NOW.minusSeconds(299));
    assertThat(move.waiting().deadline()).contains(NOW.plusSeconds(1));
  }

  @Test
  void refusedEviction_isRetriedLaterEachTime() {
    Given again = evicted(Duration.ofMinutes(1)).asked().noting(UpgradeMarks.TRIES, "1");
    assertThat(step(again, DEFAULTS).waiting().next()).contains("tried again 20 minutes later");

    UpgradeNode failed = step(again.since(Duration.ofMinutes(5)), DEFAULTS).node();

    assertThat(failed.state()).isEqualTo(FAILED);
    assertThat(failed.marks().tries()).isEqualTo(2);
    assertThat(failed.podsAsked()).isFalse();
  }

  @Test
  void nodeWithoutAnEviction_isReconciledAgainAsSoonAsBefore() {
    Given node = node().in(POD_DELETION_REQUIRED).cordoned().gpuPod(Owner.NONE);

    UpgradeNode failed = step(node.noting(UpgradeMarks.TRIES, "1"), DEFAULTS).node();

    assertThat(failed.state()).isEqualTo(FAILED);
    assertThat(failed.marks().tries()).isEqualTo(1);
  }

  @Test
  void noTryIsNotedOnANodeFromWhichNoPodWasEvicted() {
    Given node = node().in(POD_DELETION_REQUIRED).cordoned().gpuPod(Owner.NONE);

    assertThat(step(node, DEFAULTS).node().marks().notes())
        .containsKey(UpgradeMarks.FAILURE)
        .doesNotContainKey(UpgradeMarks.TRIES);
  }

  /// A drain goes on with what the state before it has asked; else its time would begin again.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void requestedEviction_isKnownWhilePodsTerminate(boolean isAsked) {
    Given node = node().in(POD_DELETION_REQUIRED).cordoned().gpuPod(Owner.NONE);

    Move move = step(isAsked ? node.asked() : node, "{autoUpgrade: true, drain: {enable: true}}");

    assertThat(move.node().state()).isEqualTo(UpgradeState.DRAIN_REQUIRED);
    assertThat(move.node().podsAsked()).isEqualTo(isAsked);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9_223_372_036_854_775_807L, 4_000_000_000L})
  void timeoutOfManyYears_isNone(long seconds) {
    Move move =
        step(
            evicted(Duration.ofDays(9)).asked(),
            "{autoUpgrade: true, podDeletion: {timeoutSeconds: %d}}".formatted(seconds));

    assertThat(move.node().state()).isEqualTo(POD_DELETION_REQUIRED);
    assertThat(move.waiting().deadline()).isEmpty();
    assertThat(move.waiting().next()).contains("there is no deadline");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9223372036854775807", "31556889864403199", "soon"})
  void impossibleTime_countsAsNone(String noted) {
    Given waiting =
        node()
            .in(WAIT_FOR_JOBS_REQUIRED)
            .cordoned()
            .pod(GivenPod.job())
            .noting(UpgradeMarks.JOBS_SINCE, noted)
            .noting(UpgradeMarks.SINCE, "+1000000000-12-31T23:59:59Z");
    Move move =
        step(
            waiting,
            "{autoUpgrade: true, waitForCompletion: {podSelector: 'job=yes', timeoutSeconds: 600}}");

    assertThat(move.waiting().deadline()).contains(NOW.plusSeconds(600));
  }

  private static Given evicted(Duration ago) {
    return node().in(POD_DELETION_REQUIRED).cordoned().since(ago).gpuPod(Owner.CONTROLLER);
  }

  private static Given restarted(Duration ago) {
    return node().in(POD_RESTART_REQUIRED).cordoned().since(ago);
  }

  private static Move step(Given given, String policy) {
    return new UpgradeSteps(Rules.policy(policy), NOW).step(given.observed());
  }
}
