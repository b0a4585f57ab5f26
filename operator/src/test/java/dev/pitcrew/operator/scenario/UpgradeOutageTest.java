package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Machines fall silent, reboot or are replaced in the middle of their upgrade: they count once as
/// out of service, hold their place not for ever, and go on when they are back.
class UpgradeOutageTest extends UpgradeTest {
  private static final int NODES = 4;
  private static final String TWO_DOWN =
      "\"upgradePolicy\": {\"maxParallelUpgrades\": %d, \"maxUnavailable\": 2}";

  @Override
  void enter() throws IOException, InterruptedException {
    install(NODES);
  }

  @ParameterizedTest
  @CsvSource({"Unknown, 600.60.01", "False, 600.60.07"})
  void aCordonedNodeThatIsNotReadyCountsOnceAndGoesOnWhenItIsBack(String status, String version) {
    var held = hold();
    upgrade(version, 2);
    fleet.awaitState(held, "pod-deletion-required");

    kubelets.fall(held, status, Duration.ZERO);
    reports.awaitWords(held, "node " + held + " is not ready: its kubelet", "describe node");
    fleet.awaitDriver(version, allBut(held));
    assertThat(fleet.states()).containsEntry(held, "pod-deletion-required");
    assertThat(fleet.drivers().get(held)).doesNotContain(version);
    System.out.println(reports.of(held));

    kubelets.end(held);
    training.unpin();
    fleet.awaitDriver(version);
    assertThat(fleet.mostDown()).isEqualTo(2);
    fleet.assertClean();
  }

  @Test
  void aNodeThatDoesNotComeBackGivesItsPlaceToAnotherAndIsUpgradedLater() {
    var held = hold();
    upgrade("600.60.02", 1);
    fleet.awaitState(held, "pod-deletion-required");

    kubelets.fall(held, "Unknown", Duration.ofMinutes(20));
    reports.awaitWords(held, "is not ready");
    kubelets.backdate(held, Duration.ofMinutes(20));
    fleet.awaitState(held, "upgrade-failed");
    assertThat(fleet.node(held).getSpec().getUnschedulable()).isNotEqualTo(true);
    reports.awaitWords(held, "is not ready: its kubelet is silent since", "for 15 minutes");
    fleet.awaitDriver("600.60.02", allBut(held));
    assertThat(fleet.mostDown()).as("with the one that is silent").isEqualTo(2);

    kubelets.backdate(held, Duration.ofMinutes(10));
    fleet.awaitState(held, "upgrade-required");
    reports.awaitWords(held, "it begins once it is ready");
    training.unpin();
    kubelets.end(held);
    fleet.awaitDriver("600.60.02");
    fleet.assertClean();
  }

  @Test
  void nodeThatGoesDownWhileItsDriverEnds_fails_andRecoversAutomatically() {
    var held = hold();
    upgrade("600.60.03", 1);
    fleet.awaitState(held, "pod-deletion-required");
    var driver = fleet.driver(held).orElseThrow();
    client
        .resource(driver)
        .edit(pod -> {
          pod.getMetadata().setFinalizers(List.of("test.pitcrew.dev/hangs"));
          return pod;
        });
    training.unpin();
    fleet.awaitState(held, "pod-restart-required");
    await("its driver pod is deleted")
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> client.resource(driver).get().getMetadata().getDeletionTimestamp() != null);
    kubelets.fall(held, "Unknown", Duration.ZERO);
    reports.awaitWords(held, "is not ready", "cannot end");

    kubelets.backdate(held, Duration.ofMinutes(31));
    fleet.awaitState(held, "upgrade-failed");
    assertThat(fleet.node(held).getSpec().getUnschedulable()).as("no driver, and no pods").isTrue();
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.events(held))
                .anyMatch(it ->
                    it.contains("30 minutes after the former driver pod was deleted")
                        && it.contains("is not ready")
                        && it.contains("kubectl annotate node " + held)));
    fleet.awaitDriver("600.60.03", allBut(held));

    kubelets.end(held);
    fleet.awaitDriver("600.60.03");
    assertThat(fleet.mostDown()).isEqualTo(2);
    fleet.assertClean();
  }

  @Test
  void aNodeThatRebootsMidUpgradeGoesOn() {
    var held = hold();
    upgrade("600.60.04", 1);
    fleet.awaitState(held, "pod-deletion-required");

    kubelets.reboot(held);
    training.unpin();
    fleet.awaitDriver("600.60.04");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatIsReplacedUnderItsNameMidUpgradeHasTheNewDriverAndNoCordon() {
    var held = hold();
    upgrade("600.60.05", 1);
    fleet.awaitState(held, "pod-deletion-required");

    fleet.leave(held);
    fleet.join(Integer.parseInt(held.substring(held.lastIndexOf('-') + 1)));
    training.unpin();
    fleet.awaitDriver("600.60.05");
    assertThat(fleet.states()).hasSize(NODES);
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatIsOutOfServiceElsewhereIsNamedToThoseThatWaitForIt() {
    var dead = SECOND;
    reports.reportOn(FIRST);
    kubelets.fall(dead, "Unknown", Duration.ZERO);

    scene.policy().edit("{\"driver\": {\"version\": \"600.60.06\"}}");
    reports.awaitWords(FIRST, "1 of at most 1 nodes are out of service: " + dead + " (not ready)");
    assertThat(fleet.mostCordoned()).isZero();

    kubelets.end(dead);
    fleet.awaitDriver("600.60.06");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  /// The first node, whose upgrade stands still while its pod may not go.
  private String hold() {
    training.pinTo(FIRST);
    reports.reportOn(FIRST);
    return FIRST;
  }

  private void upgrade(String version, int parallel) {
    scene
        .policy()
        .edit(
            "{\"driver\": {\"version\": \"%s\", %s}}"
                .formatted(version, TWO_DOWN.formatted(parallel)));
  }

  private Set<String> allBut(String node) {
    var names = new TreeSet<>(fleet.states().keySet());
    names.remove(node);
    return names;
  }
}
