package dev.pitcrew.operator.node;

import static dev.pitcrew.operator.node.NodeText.node;
import static dev.pitcrew.operator.node.NodeText.reported;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.node.DriverOwner;
import dev.pitcrew.api.node.DriverPhase;
import dev.pitcrew.api.node.DriverStatus;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverDecisionsTest {
  private static final DriverDemand DEMAND = new DriverDemand("ClusterPolicy", "580.65.06", false);

  @ParameterizedTest
  @CsvSource({
    // owner, phase, version, decision
    ", , , Undecided",
    ", ABSENT, , Install",
    "CONTAINER, LOADING, , Install",
    "CONTAINER, READY, 550.1, Install",
    "CONTAINER, PAUSED, , Undecided",
    "HOST, ABSENT, , Undecided",
    "HOST, PAUSED, , Undecided",
    "HOST, READY, 580.65.06, Adopt",
    "HOST, READY, , Adopt",
    "HOST, READY, 570.12, Refuse",
    "IMAGE, READY, 580.65.06, Adopt",
    "IMAGE, READY, 580.65.061, Refuse",
  })
  void findingOfTheAgent_decides(
      @Nullable DriverOwner owner,
      @Nullable DriverPhase phase,
      @Nullable String version,
      String decision) {
    for (String label : new String[] {"~driver", "~driver=pre-installed"}) {
      var node = reported(node(label), true, new DriverStatus(version, owner, phase, Map.of()));

      assertThat(name(DriverDecisions.of(node, Optional.of(DEMAND)))).isEqualTo(decision);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // labels, written by a program, decision
    "~driver pitcrew.dev/owner.driver=host, true, Adopt",
    "~driver pitcrew.dev/owner.driver=pitcrew, true, Install",
    "~driver pitcrew.dev/owner.driver=other, true, Refuse",
    "~driver=pre-installed, false, Adopt",
    "~driver=false, false, Adopt",
    "~driver=pre-installed, true, Refuse",
  })
  void usersHaveTheLastWord(String labels, boolean automatic, String decision) {
    var node = reported(node(labels), automatic, ready("570.12"));

    assertThat(name(DriverDecisions.of(node, Optional.of(DEMAND)))).isEqualTo(decision);
  }

  @ParameterizedTest
  @CsvSource({
    // wanted version, open modules, GPU family, found, reason
    "580, false, hopper, 580.65.06, ",
    "580, false, hopper, 570.12, DriverVersionDiffers",
    "58, false, hopper, 580.65.06, DriverVersionDiffers",
    "580.65.06-custom, false, hopper, 580.65.06, ",
    "'', false, hopper, 470.1, ",
    "sha256:00aa, true, hopper, 515.43.04, ",
    "sha256:00aa, true, hopper, 510.47.03, DriverTooOld",
    "sha256:00aa, true, hopper, 514.99, DriverTooOld",
    "sha256:00aa, false, blackwell, 550.54.15, DriverTooOld",
    "sha256:00aa, false, blackwell, 569.99, DriverTooOld",
    "sha256:00aa, false, blackwell, 570.12, ",
  })
  void aDriverIsRefusedForItsVersion(
      String wanted, boolean open, String family, String found, @Nullable String reason) {
    var node = reported(node("~driver :gpu.family=" + family), true, ready(found));
    var decision =
        DriverDecisions.of(node, Optional.of(new DriverDemand("ClusterPolicy", wanted, open)));

    assertThat(decision instanceof DriverDecision.Refuse refusal ? refusal.reason() : null)
        .isEqualTo(reason);
  }

  @Test
  void aRefusalNamesNodeDriversAndRemedy() {
    var node = reported(node("~driver"), true, ready("570.12"));

    assertThat(DriverDecisions.of(node, Optional.of(DEMAND)))
        .isEqualTo(
            new DriverDecision.Refuse(
                "DriverVersionDiffers",
                "node gpu-1 has driver 570.12 of a host package; ClusterPolicy wants 580.65.06 in a container: remove the package and reboot, or label the Node pitcrew.dev/owner.driver=host to accept it",
                "ClusterPolicy"));
  }

  @Test
  void unknownDriver_leavesTheDecisionOpen() {
    var node = reported(node("~driver=pre-installed"), true, ready("570.12"));

    assertThat(name(DriverDecisions.of(node, Optional.empty()))).isEqualTo("Undecided");
    assertThat(name(DriverDecisions.of(node, Optional.of(DriverDemand.NONE)))).isEqualTo("Install");
  }

  private static DriverStatus ready(String version) {
    return new DriverStatus(version, DriverOwner.HOST, DriverPhase.READY, Map.of());
  }

  private static String name(DriverDecision decision) {
    return decision.getClass().getSimpleName();
  }
}
