package dev.pitcrew.operator.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Whose a cordon is on a node that the reference has left in the middle of its upgrade. It notes
/// no cordon but an earlier one of another owner.
class CordonsTest {
  private final ModelFleet fleet =
      new ModelFleet(
          1, Rules.policy("{autoUpgrade: true, maxUnavailable: '100%'}"), Rules.rollout(""));
  private final ModelNode node = fleet.node("gpu-00");

  @BeforeEach
  void theReferenceHasCordonedIt() {
    fleet.target = "2";
    node.unschedulable = true;
  }

  @Test
  void aNodeThatFailedIsUncordonedOnceItHasItsDriver() {
    in(UpgradeState.FAILED);

    fleet.calmDown();

    assertThat(node.unschedulable).isFalse();
  }

  @Test
  void failedNodeThatGetsAnotherDriver_isUncordoned() {
    in(UpgradeState.POD_RESTART_REQUIRED);
    node.version = "2";
    node.start = Start.CRASHING;
    fleet.carryOut(fleet.plan());
    assertThat(node.observed("2").state()).isEqualTo(UpgradeState.FAILED);
    assertThat(node.annotations).containsEntry(UpgradeMarks.CORDONED, "true");

    fleet.target = "3";
    fleet.calmDown();

    assertThat(node.unschedulable).isFalse();
  }

  @Test
  void failedNodeThatLostItsAnnotation_isUncordoned() {
    in(UpgradeState.FAILED);
    node.annotations.put(UpgradeMarks.FAILURE, "DRIVER 1 it crashed");

    fleet.calmDown();

    assertThat(node.unschedulable).isFalse();
  }

  @Test
  void nodeThatAUserHadCordonedBefore_staysCordoned() {
    in(UpgradeState.FAILED);
    node.annotations.put(UpgradeMarks.WAS_UNSCHEDULABLE, "true");

    fleet.calmDown();

    assertThat(node.unschedulable).isTrue();
  }

  @Test
  void nodeThatWasReturnedToItsPodsBefore_staysCordoned() {
    in(UpgradeState.FAILED);
    node.annotations.put(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB");
    node.annotations.put(UpgradeMarks.SINCE, fleet.now.toString());

    fleet.calmDown();

    assertThat(node.unschedulable).isTrue();
  }

  private void in(UpgradeState state) {
    node.labels.put(NodeLabels.UPGRADE_STATE, state.label());
  }
}
